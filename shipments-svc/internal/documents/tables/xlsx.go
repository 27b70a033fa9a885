package tables

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/xuri/excelize/v2"
)

// ole is the signature of compound files: old workbooks, and encrypted new ones
// ([MS-CFB], 2.2).
var ole = []byte{0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1}

// encryptedPackage is the name of the stream of an encrypted workbook
// ([MS-OFFCRYPTO], 2.3.4), in UTF-16.
var encryptedPackage = []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")

// workbook is a workbook that is being read.
type workbook struct {
	*book
	file    *excelize.File
	strings []stringXML // shared
	styles  map[int]style
	scratch bool  // there is a sheet for formatting numbers
	hidden  Place // of the first text in a hidden column of the sheet
}

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
	if n := len(f.GetSheetList()); n > MaxSheets {
		return unreadable(TooManySheets, "the workbook has %d sheets, more than %d", n, MaxSheets)
	}
	var shared struct {
		Strings []stringXML `xml:"si"`
	}
	var relations struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if partOf(f, "xl/sharedStrings.xml", &shared) != nil || partOf(f, "xl/_rels/workbook.xml.rels", &relations) != nil {
		return unreadable(Malformed, "the contents of the workbook are damaged")
	}
	parts := map[string]string{}
	for _, r := range relations.All {
		if parts[r.ID] = path.Join("xl", r.Target); path.IsAbs(r.Target) {
			parts[r.ID] = strings.TrimPrefix(r.Target, "/")
		}
	}
	w := &workbook{book: b, file: f, strings: shared.Strings, styles: map[int]style{}}
	for _, sheet := range f.WorkBook.Sheets.Sheet {
		if sheet.State == "hidden" || sheet.State == "veryHidden" {
			b.note(NoteHiddenSheet, fmt.Sprintf("the sheet %s is hidden and was not read", sheet.Name), Place{Sheet: sheet.Name})
			continue
		}
		b.table(sheet.Name)
		if err := w.sheet(parts[sheet.ID]); err != nil {
			return err
		}
		w.comments(sheet.Name)
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
func (w *workbook) sheet(part string) error {
	var s sheetXML
	w.hidden = Place{}
	number, hidden, first := 0, 0, 0
	damaged := func() error {
		return &Unreadable{Code: Malformed, Detail: "the sheet is damaged", Place: w.here(max(0, number), 0)}
	}
	s.Rows.read = func(row *rowXML) error {
		number = cmp.Or(row.Number, number+1)
		if row.isHidden() {
			if len(row.Cells) > 0 {
				hidden, first = hidden+1, cmp.Or(first, number)
			}
			return nil
		}
		cells, err := w.cellsOf(&s, row.Cells, number)
		if err != nil || number <= 0 || number > excelize.TotalRows {
			return damaged()
		}
		return w.row(Row{Number: number, Cells: cells})
	}
	switch err := partOf(w.file, part, &s); {
	case err == nil:
	case w.ctx.Err() != nil || errors.As(err, new(*Unreadable)):
		return err
	default:
		return damaged()
	}
	if hidden > 0 {
		w.note(NoteHiddenRows, fmt.Sprintf("hidden rows were not read: %d", hidden), w.here(first, 0))
	}
	if w.hidden.Row > 0 {
		w.note(NoteHiddenColumns, "hidden columns were not read, the first is "+ColumnName(w.hidden.Column), w.hidden)
	}
	for _, m := range s.Merges {
		w.merge(m.Ref)
	}
	return nil
}

// cellsOf returns the cells of a row.
func (w *workbook) cellsOf(s *sheetXML, stored []cellXML, row int) (cells []Cell, err error) {
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
		cell := w.cellOf(c, w.here(row, column))
		if cell.Text != "" && s.isHidden(column) {
			if w.hidden.Row == 0 {
				w.hidden = w.here(row, column)
			}
			continue
		}
		cells = append(cells, make([]Cell, max(0, column-len(cells)))...)
		cells[column-1] = cell
		if cell.Text != "" && !struck && w.style(c.Style).struck {
			struck = true
			w.note(NoteStruck, "a text is struck through", w.here(row, 0))
		}
	}
	return cells, nil
}

// ColumnName returns the letters of a column in a spreadsheet.
func ColumnName(column int) string {
	name, _ := excelize.ColumnNumberToName(column) // tables have at most MaxColumns
	return name
}

// comments notes the comments on the cells of a sheet.
func (w *workbook) comments(sheet string) {
	all, _ := w.file.GetComments(sheet) // they are no part of the table
	for _, c := range all {
		texts := []string{c.Text}
		for _, run := range c.Paragraph {
			texts = append(texts, run.Text)
		}
		column, row, _ := excelize.CellNameToCoordinates(c.Cell)
		w.note(NoteAside, strings.Join(texts, ""), w.here(row, column))
	}
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
