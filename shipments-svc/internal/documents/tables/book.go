package tables

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

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

// clean returns a text as valid UTF-8 on one line, trimmed, with single spaces for all that is
// not printed, and whether it was cut.
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
