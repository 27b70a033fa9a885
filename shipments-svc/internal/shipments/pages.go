package shipments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// Pages shows the pages of files.
type Pages interface {
	// Page returns a page of the file of a document, which count from 1: of a PDF a picture as a PNG, of another file a
	// table as JSON. It returns UnreadableError where there is no such page, or it cannot be shown.
	Page(ctx context.Context, d Document, content io.ReaderAt, number int) ([]byte, error)
	// Table returns the rows about a row of the table of a sheet, of a PDF of a page, as they are read; of another sheet
	// than there is those of the first. It returns UnreadableError where the file cannot be read.
	Table(ctx context.Context, d Document, content io.ReaderAt, sheet string, row int) (TablePart, error)
}

// TablePart is a part of a table of a file, of which all parts have MaxPartRows rows but the last.
type TablePart struct {
	ShownTable
	Sheets        []string `json:"sheets"` // the names of all tables
	Before, After int      // the first rows of the parts beside it; 0: there is none
}

// MaxPartRows is how many rows a part of a table has.
const MaxPartRows = 200

// ShownTable is a table of a file as it is read.
type ShownTable struct {
	Sheet     string     `json:"sheet"`      // empty: the file has none
	Rows      []ShownRow `json:"rows"`       // the first MaxShownRows
	RowsCount int        `json:"rows_count"` // that are not empty
}

// ShownRow is a row of a table.
type ShownRow struct {
	Row   int      `json:"row"` // as in Place
	Cells []string `json:"cells"`
}

// MaxShownRows is how many rows of a table are shown.
const MaxShownRows = 2_000

// PageOrder names a page of a document's file, or a row of a sheet.
type PageOrder struct {
	DocumentOrder
	Number int
	Sheet  string
}

// ErrNoPage means that a document has no such page, or it cannot be shown.
var ErrNoPage = errors.New("the document has no such page, or it cannot be shown")

// Page returns a page of a document's file, or ErrNoDocument or ErrNoPage. Open shows it, and returns ErrNoPage where
// that cannot be done.
func (s *Service) Page(ctx context.Context, org OrgID, o PageOrder) (StoredFile, error) {
	file, err := s.File(ctx, org, o.DocumentOrder)
	if err == nil && file.Kind == Unread {
		err = ErrNoPage
	}
	if err != nil {
		return StoredFile{}, err
	}
	open, doc := file.Open, file.Document
	file.ContentType = map[bool]string{true: "image/png", false: "application/json"}[file.Kind == PDF]
	file.Open = func(ctx context.Context) (OpenFile, error) {
		content, err := open(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { _ = content.Close() }() // nothing was written to it
		shown, err := s.pages.Page(ctx, doc, content, o.Number)
		if unreadable, ok := errors.AsType[*UnreadableError](err); ok {
			return nil, fmt.Errorf("%w: %s", ErrNoPage, unreadable.Code)
		}
		return memoryFile{bytes.NewReader(shown)}, err
	}
	return file, nil
}

// Table returns rows of a document as they are read, or ErrNoDocument or ErrNoPage.
func (s *Service) Table(ctx context.Context, org OrgID, o PageOrder) (part TablePart, err error) {
	file, err := s.File(ctx, org, o.DocumentOrder)
	if err == nil && file.Kind == Unread {
		err = ErrNoPage
	}
	if err != nil {
		return part, err
	}
	content, err := file.Open(ctx)
	if err != nil {
		return part, err
	}
	defer func() { _ = content.Close() }() // nothing was written to it
	part, err = s.pages.Table(ctx, file.Document, content, o.Sheet, o.Number)
	if unreadable, ok := errors.AsType[*UnreadableError](err); ok {
		err = fmt.Errorf("%w: %s", ErrNoPage, unreadable.Code)
	}
	return part, err
}

// memoryFile is a file in memory.
type memoryFile struct{ *bytes.Reader }

// Close implements io.Closer.
func (memoryFile) Close() error { return nil }
