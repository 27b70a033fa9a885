// Package tables reads CSV files, workbooks and PDFs as tables: rows of cells with their places, as a viewer shows
// them.
//
// Guarantees: any content is read or refused with an Unreadable, without a panic; formulas are never evaluated, their
// stored values are read; the constants of this package limit what is read, and reading ends with its context. Hidden
// content is not read, with a Note.
//
// The PDF and XLSX libraries do not limit time, nor that of XLSX memory: a damaged document may exhaust either.
// Untrusted documents are read in a separate process.
//
// Of this module it imports the type of a place only.
package tables

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// Kind is the format of a document.
type Kind string

// The formats that are read.
const (
	CSV  Kind = "csv"
	XLSX Kind = "xlsx"
	PDF  Kind = "pdf"
)

// Limits of one document.
const (
	MaxUnpacked = 64 << 20 // bytes of a document without its compression
	MaxSheets   = 50
	MaxPages    = 200
	MaxRows     = 50_000    // in all tables together
	MaxColumns  = 200       // of a table; further columns are not read
	MaxCells    = 1_000_000 // in all tables together
	MaxText     = 1_000     // bytes of a cell; the rest is cut
	maxNotes    = 1_000
)

// Place is where in a document something stands.
type Place = list.Place

// Cell is one field of a row.
type Cell struct {
	Text   string  // as shown, trimmed; valid UTF-8
	Number string  // the stored number, with a decimal point; empty for texts and for formats without numbers
	Date   string  // the date that a spreadsheet stores, as in ISO 8601; empty: it stores none
	Merged bool    // repeats the text of the merged cell that spans this one
	Below  float64 // the distance from the top of its printed row in points, where no rules draw it
}

// Row is one row of a table. The column of its first cell is 1.
type Row struct {
	Number int
	Cells  []Cell
	Below  float64 // the distance from the printed line above in points; 0: none
}

// Table is a sheet of a workbook, a page of a PDF, or a CSV file. Its rows are in order; empty ones may be missing.
type Table struct {
	Name      string // the Sheet of its places
	Printed   bool   // rows are printed lines, so a text may continue in the next
	Continues bool   // has the columns of the previous table
	Rows      []Row
}

// Note describes what was skipped or assumed.
type Note struct {
	Code  string
	Text  string
	Place Place
}

// The codes of notes.
const (
	NoteEncoding        = "encoding_assumed"       // the encoding was assumed
	NoteEncodingUnclear = "encoding_unclear"       // it is an unusual one, or another, or has control characters
	NoteQuotes          = "quotes_unbalanced"      // quotation marks were left out
	NoteHiddenSheet     = "hidden_sheet_skipped"   //
	NoteHiddenRows      = "hidden_rows_skipped"    //
	NoteHiddenColumns   = "hidden_columns_skipped" //
	NoteFormula         = "formula_without_value"
	NoteError           = "error_value" // a cell has an error, such as #REF!
	NoteCut             = "text_cut"
	NoteImprecise       = "imprecise_number" // a number may have lost digits, or have been a code
	NoteStruck          = "struck_through"   // read nevertheless
	NoteInvisible       = "invisible_text"   // likewise: that of a scan
	NoteHidden          = "hidden_text_skipped"
	NoteOutside         = "outside_text_skipped" // beyond the edges of the page that viewers show
	NoteTurned          = "turned_text_skipped"
	NoteUnknown         = "text_unknown" // a viewer shows it, and no program can read it
	NoteMark            = "annotation"   // a stamp, a comment, a strike-out, which was not read
)

// Book is the content of a document.
type Book struct {
	Tables []Table
	Notes  []Note
}

// Unreadable is the error of a document that cannot be read.
type Unreadable struct {
	Code   string `json:"code"`
	Detail string `json:"detail"` // a sentence without a full stop
	Place  Place  `json:"place"`
}

// Error implements error.
func (e *Unreadable) Error() string { return e.Code + ": " + e.Detail }

// The codes of Unreadable.
const (
	Malformed     = "malformed"
	Encrypted     = "encrypted"
	NoTextLayer   = "no_text_layer"
	TooManyRows   = "too_many_rows"
	TooManySheets = "too_many_sheets"
	TooManyPages  = "too_many_pages"
	TooLarge      = "too_large_unzipped"
	WrongEncoding = "wrong_encoding"
	TooMuchMemory = "too_much_memory"
	NoPage        = "no_page" // it has fewer
)

// Read reads a document. It returns Unreadable for content that cannot be read, or the error of ctx or content.
func Read(ctx context.Context, kind Kind, content io.ReaderAt, size int64) (Book, error) {
	read, ok := map[Kind]func(*book, []byte) error{CSV: (*book).csv, XLSX: (*book).xlsx, PDF: (*book).pdf}[kind]
	if !ok {
		return Book{}, unreadable(Malformed, "%q is not a supported format", kind)
	}
	raw, err := whole(content, size)
	if err != nil {
		return Book{}, err
	}
	b := &book{ctx: ctx}
	if err := read(b, raw); err != nil {
		return Book{}, err
	}
	return b.Book, nil
}

// whole returns the content of a document.
func whole(content io.ReaderAt, size int64) ([]byte, error) {
	if size > MaxUnpacked {
		return nil, unreadable(TooLarge, "the document has more than %d MiB", MaxUnpacked>>20)
	}
	raw := make([]byte, size)
	if n, err := content.ReadAt(raw, 0); int64(n) < size {
		return nil, fmt.Errorf("read content: %w", err)
	}
	return raw, nil
}

func unreadable(code, format string, args ...any) error {
	detail, _ := clean(fmt.Sprintf(format, args...)) // it may name a sheet
	return &Unreadable{Code: code, Detail: detail}
}

// book builds a Book within the limits.
type book struct {
	Book
	ctx   context.Context // of one call of Read
	rows  int
	cells int
}

// table begins a table.
func (b *book) table(name string) {
	name, _ = clean(name)
	b.Tables = append(b.Tables, Table{Name: name})
}

// row adds a row to the last table; empty ones are dropped.
func (b *book) row(row Row) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	for len(row.Cells) > 0 && row.Cells[len(row.Cells)-1].Text == "" {
		row.Cells = row.Cells[:len(row.Cells)-1]
	}
	if len(row.Cells) == 0 {
		return nil
	}
	if b.rows++; b.rows > MaxRows {
		return unreadable(TooManyRows, "the document has more than %d rows", MaxRows)
	}
	if b.cells += len(row.Cells); b.cells > MaxCells {
		return unreadable(TooLarge, "the document has more than %d cells", MaxCells)
	}
	t := &b.Tables[len(b.Tables)-1]
	t.Rows = append(t.Rows, row)
	return nil
}

// note adds a note, up to the maximum.
func (b *book) note(code, text string, at Place) {
	if len(b.Notes) < maxNotes {
		text, _ = clean(text)
		at.Sheet, _ = clean(at.Sheet)
		b.Notes = append(b.Notes, Note{Code: code, Text: text, Place: at})
	}
}

// cell returns a cell with a text, and notes if it was cut.
func (b *book) cell(text string, at Place) Cell {
	shown, cut := clean(text)
	if cut {
		b.note(NoteCut, fmt.Sprintf("a text of %d bytes was shortened to %d", len(text), MaxText), at)
	}
	return Cell{Text: shown}
}

// here returns the place of a cell of the last table.
func (b *book) here(row, column int) Place {
	return Place{Sheet: b.Tables[len(b.Tables)-1].Name, Row: row, Column: column}
}

// clean returns a text as valid UTF-8 on one line, with spaces for all that is not printed, and whether it was cut.
func clean(text string) (_ string, cut bool) {
	if len(text) > MaxText {
		end := MaxText
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text, cut = text[:end], true
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	apart := func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }
	if strings.IndexFunc(text, apart) < 0 { // the common case
		return text, cut
	}
	return strings.Join(strings.FieldsFunc(text, apart), " "), cut
}
