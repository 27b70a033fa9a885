// Package tables reads documents of several formats as tables: rows of cells,
// each with its place, as a person sees them who opens the document.
//
// Guarantees: whatever the bytes, a document is read or refused with an
// Unreadable that says why, and nothing panics; nothing in a document is run,
// of a formula only the value that was stored with it is read; what is read is
// bounded by the constants of this package, and reading ends when its context
// does. What is not shown to a person is not read, and a Note says so.
//
// The libraries beneath are of others: a damaged PDF may keep one of them busy
// for ever, or take all memory, before the bounds here are looked at. Documents
// of strangers are read in a process of their own.
//
// It imports no other package of this module.
package tables

import (
	"context"
	"fmt"
	"io"
)

// Kind is the format of a document.
type Kind string

// The formats that are read.
const (
	CSV  Kind = "csv"
	XLSX Kind = "xlsx"
	PDF  Kind = "pdf"
)

// Bounds of what is read of one document.
const (
	MaxUnpacked = 64 << 20 // bytes of a document without its compression
	MaxSheets   = 50
	MaxPages    = 200
	MaxRows     = 50_000    // in all tables together
	MaxColumns  = 200       // of a table; what stands to the right of them is left out
	MaxCells    = 1_000_000 // in all tables together
	MaxText     = 1_000     // bytes of a cell; the rest is cut off
	maxNotes    = 1_000
)

// Place is where something stands in a document. Rows and columns count from
// 1; 0 is none in particular.
type Place struct {
	Sheet  string `json:"sheet,omitempty"` // of a workbook its name, of a PDF "page 3", else empty
	Row    int    `json:"row,omitempty"`
	Column int    `json:"column,omitempty"`
}

// Cell is one field of a row.
type Cell struct {
	Text   string // as it is shown, without space around it; valid UTF-8
	Number string // the number behind the text, with a decimal point; empty where the format does not tell numbers from texts
	Merged bool   // the text belongs to a cell to the left or above, which spans this one
}

// Row is one row of a table. The column of its first cell is 1.
type Row struct {
	Number int
	Cells  []Cell
}

// Table is a sheet of a workbook, a page of a PDF, or a whole CSV. Its rows
// are in order; empty ones may be missing.
type Table struct {
	Name      string // as a Place names it
	Printed   bool   // its rows are lines of print, so a text may go on in the next
	Continues bool   // the columns are those of the table before it
	Rows      []Row
}

// Note tells what a reader left out or had to guess.
type Note struct {
	Code  string
	Text  string
	Place Place
}

// The codes of notes.
const (
	NoteEncoding      = "encoding_assumed"       // no sign of the encoding; one was assumed
	NoteQuotes        = "quotes_unbalanced"      // quotation marks were read as text
	NoteHiddenSheet   = "hidden_sheet_skipped"   //
	NoteHiddenRows    = "hidden_rows_skipped"    //
	NoteHiddenColumns = "hidden_columns_skipped" //
	NoteFormula       = "formula_without_value"
	NoteError         = "error_value" // a cell shows an error, such as #REF!
	NoteCut           = "text_cut"
	NoteImprecise     = "imprecise_number" // a number has more digits than its format keeps
)

// Book is a document's content.
type Book struct {
	Tables []Table
	Notes  []Note
}

// Unreadable says why a document cannot be read.
type Unreadable struct {
	Code   string `json:"code"`
	Detail string `json:"detail"` // a sentence for people, without its full stop
	Place  Place  `json:"place"`
}

// Error implements error.
func (e *Unreadable) Error() string { return e.Code + ": " + e.Detail }

// The codes of Unreadable that this package gives.
const (
	Malformed     = "malformed"
	Encrypted     = "encrypted"
	NoTextLayer   = "no_text_layer"
	TooManyRows   = "too_many_rows"
	TooManySheets = "too_many_sheets"
	TooManyPages  = "too_many_pages"
	TooLarge      = "too_large_unzipped"
	WrongEncoding = "wrong_encoding"
)

// Read reads the content of a document. What cannot be read gives Unreadable;
// any other error is the context's or that of content.
func Read(ctx context.Context, kind Kind, content io.ReaderAt, size int64) (Book, error) {
	b := &book{ctx: ctx}
	var err error
	switch kind {
	case CSV:
		err = b.csv(content, size)
	case XLSX:
		err = b.xlsx(content, size)
	case PDF:
		err = b.pdf(content, size)
	default:
		err = unreadable(Malformed, "%q is no format that can be read", kind)
	}
	if err != nil {
		return Book{}, err
	}
	return b.Book, nil
}

func unreadable(code, format string, args ...any) error {
	detail, _ := clean(fmt.Sprintf(format, args...)) // it may name a sheet
	return &Unreadable{Code: code, Detail: detail}
}
