package tables

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// ole is the signature of compound files: old workbooks, and encrypted new ones
// ([MS-CFB], 2.2).
var ole = []byte{0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1}

// encryptedPackage is the name of the stream of an encrypted workbook
// ([MS-OFFCRYPTO], 2.3.4), in UTF-16.
var encryptedPackage = []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")

// xlsx reads the visible sheets of a workbook (ECMA-376). The unpacked size is
// limited, so that excelize keeps everything in memory.
func (b *book) xlsx(raw []byte) (err error) {
	defer recovered(&err)
	switch {
	case bytes.HasPrefix(raw, ole) && bytes.Contains(raw, encryptedPackage):
		return unreadable(Encrypted, "the workbook is password-protected")
	case bytes.HasPrefix(raw, ole):
		return unreadable(Malformed, "the workbook has the old format .xls; save it as .xlsx")
	}
	f, err := excelize.OpenReader(
		bytes.NewReader(raw),
		excelize.Options{UnzipSizeLimit: MaxUnpacked, UnzipXMLSizeLimit: MaxUnpacked},
	)
	if err != nil {
		return unreadable(Malformed, "the file is damaged or not a workbook")
	}
	defer func() { _ = f.Close() }() // there are no temporary files to remove
	names := f.GetSheetList()
	if len(names) > MaxSheets {
		return unreadable(TooManySheets, "the workbook has %d sheets, more than %d", len(names), MaxSheets)
	}
	var shared struct {
		Strings []stringXML `xml:"si"`
	}
	if partOf(f, "xl/sharedStrings.xml", &shared) != nil {
		return unreadable(Malformed, "the texts of the workbook are damaged")
	}
	b.workbook = workbook{file: f, strings: shared.Strings, styles: map[int]style{}}
	parts := partsOf(f)
	for _, name := range names {
		if shown, err := f.GetSheetVisible(name); err == nil && !shown {
			b.note(NoteHiddenSheet, fmt.Sprintf("the sheet %s is hidden and was not read", name), Place{Sheet: name})
			continue
		}
		b.table(name)
		if err := b.sheet(f, parts[name]); err != nil {
			return err
		}
		b.comments(f, name)
	}
	return nil
}

// recovered returns a panic of a library as Malformed.
func recovered(err *error) {
	if recover() != nil {
		*err = unreadable(Malformed, "the document is damaged")
	}
}

// sheet reads a sheet from its part.
func (b *book) sheet(f *excelize.File, part string) error {
	var s sheetXML
	number, hidden, first := 0, 0, 0
	s.Rows.read = func(row *rowXML) error {
		if number++; row.Number != 0 {
			number = row.Number
		}
		if row.isHidden() {
			if len(row.Cells) > 0 {
				hidden, first = hidden+1, cmp.Or(first, number)
			}
			return nil
		}
		cells, err := b.cellsOf(&s, row.Cells, number)
		if err != nil || number <= 0 || number > excelize.TotalRows {
			return &Unreadable{Code: Malformed, Detail: "the sheet is damaged", Place: b.here(number, 0)}
		}
		return b.row(Row{Number: number, Cells: cells})
	}
	switch err := partOf(f, part, &s); {
	case err == nil:
	case b.ctx.Err() != nil || errors.As(err, new(*Unreadable)):
		return err
	default:
		return &Unreadable{Code: Malformed, Detail: "the sheet is damaged", Place: b.here(0, 0)}
	}
	if hidden > 0 {
		b.note(NoteHiddenRows, fmt.Sprintf("hidden rows were not read: %d", hidden), b.here(first, 0))
	}
	if s.hidden.Row > 0 {
		b.note(NoteHiddenColumns, "hidden columns were not read, the first is "+ColumnName(s.hidden.Column), s.hidden)
	}
	for _, m := range s.Merges {
		b.merge(m.Ref)
	}
	return nil
}

// cellsOf returns the cells of a row.
func (b *book) cellsOf(s *sheetXML, stored []cellXML, row int) (cells []Cell, err error) {
	column, struck := 0, false
	for _, c := range stored {
		if column++; c.Ref != "" {
			if column, _, err = excelize.CellNameToCoordinates(c.Ref); err != nil {
				return nil, err
			}
		}
		if column > MaxColumns {
			continue
		}
		cell := b.stored(c, b.here(row, column))
		if cell.Text != "" && s.isHidden(column) {
			if s.hidden.Row == 0 {
				s.hidden = b.here(row, column)
			}
			continue
		}
		for len(cells) < column {
			cells = append(cells, Cell{})
		}
		cells[column-1] = cell
		if cell.Text != "" && !struck && b.workbook.style(c.Style).struck {
			struck = true
			b.note(NoteStruck, "a text is struck through", b.here(row, 0))
		}
	}
	return cells, nil
}

// ColumnName returns the letters of a column in a spreadsheet.
func ColumnName(column int) string {
	name, _ := excelize.ColumnNumberToName(column) // tables have at most MaxColumns
	return name
}

// stored returns a stored cell as it is shown, and notes what its kind or format hides.
func (b *book) stored(c cellXML, at Place) Cell {
	text, struck := c.Value, false
	switch c.Kind {
	case "s":
		if i, err := strconv.Atoi(text); err == nil && i >= 0 && i < len(b.workbook.strings) {
			text, struck = b.workbook.strings[i].text()
		}
	case "inlineStr":
		if c.Inline != nil {
			text, struck = c.Inline.text()
		}
	case "b":
		text = map[string]string{"0": "FALSE", "1": "TRUE"}[text]
	case "e":
		b.note(NoteError, fmt.Sprintf("the cell has the error %.20s", text), at)
		return Cell{}
	case "", "n":
		if text != "" {
			return b.number(c, at)
		}
	}
	if c.Formula != nil && c.Value == "" {
		b.note(NoteFormula, "the formula has no stored value; open the workbook in a spreadsheet and save it again", at)
	}
	if struck {
		b.note(NoteStruck, "a text is struck through", at)
	}
	return b.cell(text, at)
}

// comments notes the comments on the cells of a sheet.
func (b *book) comments(f *excelize.File, sheet string) {
	all, err := f.GetComments(sheet)
	if err != nil {
		return // they are no part of the table
	}
	for _, c := range all {
		texts := []string{c.Text}
		for _, run := range c.Paragraph {
			texts = append(texts, run.Text)
		}
		column, row, _ := excelize.CellNameToCoordinates(c.Cell)
		b.note(NoteAside, strings.Join(texts, ""), b.here(row, column))
	}
}

// exact is the number of 16 digits from which doubles are imprecise.
const exact = 1e15

// number returns the cell of a stored number. A long whole number is shown with all of
// its digits, unlike in a spreadsheet.
func (b *book) number(c cellXML, at Place) Cell {
	cell := b.cell(b.workbook.formatted(c.Style, c.Value), at)
	v, err := strconv.ParseFloat(c.Value, 64)
	switch {
	case err != nil:
		return cell
	case cell.Text == "":
		if v != 0 {
			b.note(NoteHiddenRows, fmt.Sprintf("the number %s is hidden by its format and was not read", c.Value), at)
		}
		return cell
	}
	cell.Number = strconv.FormatFloat(v, 'f', -1, 64)
	whole := v == float64(int64(v)) && v >= 0 && v < 1e18
	if whole && strings.Trim(cell.Text, "0123456789.,+eE") == "" && strings.ContainsAny(cell.Text, "eE") {
		cell.Text = cell.Number
	}
	if whole && v >= exact {
		b.note(NoteImprecise, fmt.Sprintf("%s was stored as a number, with a precision of 15 digits", cell.Number), at)
	}
	return cell
}

// merge copies the text of a merged cell, such as B2:D9, to the cells that it spans.
func (b *book) merge(ref string) {
	from, to, _ := strings.Cut(ref, ":")
	left, top, err := excelize.CellNameToCoordinates(from)
	right, bottom, err2 := excelize.CellNameToCoordinates(to)
	if err != nil || err2 != nil || left > right || top > bottom {
		return
	}
	text := ""
	t := &b.Tables[len(b.Tables)-1]
	for i := range t.Rows {
		row := &t.Rows[i]
		if row.Number < top || row.Number > bottom {
			continue
		}
		if row.Number == top && left <= len(row.Cells) {
			text = row.Cells[left-1].Text
		}
		if text == "" {
			return
		}
		for col := left; col <= min(right, MaxColumns) && b.cells < MaxCells; col++ {
			for len(row.Cells) < col {
				row.Cells = append(row.Cells, Cell{})
				b.cells++
			}
			if row.Cells[col-1].Text == "" {
				row.Cells[col-1] = Cell{Text: text, Merged: true}
			}
		}
	}
}
