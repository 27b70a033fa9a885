package tables

import (
	"bytes"
	"encoding/hex"
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
	if err := b.markup(raw); err != nil {
		return err
	}
	f, err := excelize.OpenReader(bytes.NewReader(raw), excelize.Options{UnzipSizeLimit: MaxUnpacked, UnzipXMLSizeLimit: MaxUnpacked})
	if err != nil {
		return unreadable(Malformed, "the file is damaged or not a workbook")
	}
	defer func() { _ = f.Close() }() // there are no temporary files to remove
	names := f.GetSheetList()
	if len(names) > MaxSheets {
		return unreadable(TooManySheets, "the workbook has %d sheets, more than %d", len(names), MaxSheets)
	}
	parts := partsOf(f)
	b.rich = richTexts(partOf(f, "xl/sharedStrings.xml"))
	for _, name := range names {
		if shown, err := f.GetSheetVisible(name); err == nil && !shown {
			b.note(NoteHiddenSheet, fmt.Sprintf("the sheet %s is hidden and was not read", name), Place{Sheet: name})
			continue
		}
		b.table(name)
		if err := b.sheet(f, name, parts[name]); err != nil {
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

// sheet reads the rows of a sheet: formatted texts by excelize; stored values,
// hidden columns and merged cells from its XML, because the streaming reader of
// excelize does not have them and its other functions load the whole sheet.
func (b *book) sheet(f *excelize.File, name string, part []byte) error {
	rows, err := f.Rows(name)
	if err != nil {
		return unreadable(Malformed, "the sheet %s cannot be read", name)
	}
	defer func() { _ = rows.Close() }() // all is in memory
	behind := newSheetXML(part)
	hidden, first, hiddenColumn := 0, 0, 0
	for n := 1; rows.Next(); n++ {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		if n > excelize.TotalRows {
			return unreadable(Malformed, "the sheet %s has a row after %d, the last possible one", name, excelize.TotalRows)
		}
		texts, err := rows.Columns()
		if err != nil {
			return &Unreadable{Code: Malformed, Detail: "the sheet is damaged", Place: b.here(n, 0)}
		}
		for behind.row < n && behind.next() {
			continue
		}
		if (rows.GetRowOpts().Hidden || behind.row == n && behind.flat) && len(texts) > 0 {
			if hidden++; hidden == 1 {
				first = n
			}
			continue
		}
		cells := make([]Cell, min(len(texts), MaxColumns))
		for i := range cells {
			cells[i] = b.cell(texts[i], b.here(n, i+1))
		}
		if behind.row == n {
			b.reveal(cells, behind.cells, n)
			b.struck(f, behind.cells, n)
		}
		for i := range cells {
			if cells[i].Text != "" && behind.isHidden(i+1) {
				cells[i] = Cell{}
				if hiddenColumn == 0 {
					hiddenColumn = i + 1
					b.note(NoteHiddenColumns, "hidden columns were not read, the first is "+ColumnName(i+1), b.here(n, i+1))
				}
			}
		}
		if err := b.row(Row{Number: n, Cells: cells}); err != nil {
			return err
		}
	}
	switch hidden {
	case 0:
	case 1:
		b.note(NoteHiddenRows, "a hidden row was not read", b.here(first, 0))
	default:
		b.note(NoteHiddenRows, fmt.Sprintf("%d hidden rows were not read, this is the first", hidden), b.here(first, 0))
	}
	for behind.next() {
		continue
	}
	if behind.err != nil {
		return &Unreadable{Code: Malformed, Detail: "the sheet is damaged", Place: b.here(behind.row, 0)}
	}
	b.merge(behind.merges)
	return nil
}

// ColumnName returns the letters of a column in a spreadsheet.
func ColumnName(column int) string {
	name, _ := excelize.ColumnNumberToName(column) // tables have at most MaxColumns
	return name
}

// reveal adds the stored values to the cells of a row, and notes those that its formats
// hide.
func (b *book) reveal(cells []Cell, behind []cellXML, row int) {
	for _, c := range behind {
		at := b.here(row, c.column)
		shown := c.column <= len(cells) && cells[c.column-1].Text != ""
		switch {
		case c.Formula != nil && c.Value == "":
			b.note(NoteFormula, "the formula has no stored value; open the workbook in a spreadsheet and save it again", at)
		case c.Kind == "e":
			b.note(NoteError, fmt.Sprintf("the cell has the error %.20s", c.Value), at)
			if c.column <= len(cells) {
				cells[c.column-1].Text = ""
			}
		case c.Kind == "s" || c.Kind == "inlineStr":
			rich, special := b.rich[whole(c.Value)]
			if c.Kind == "inlineStr" {
				rich, special = joinedRuns(c.Inline.Runs)
			}
			if special && shown {
				cells[c.column-1] = b.cell(rich.text, at)
				if rich.struck {
					b.note(NoteStruck, "a text is struck through", at)
				}
			}
		case c.Kind != "" && c.Kind != "n":
		case shown:
			b.number(&cells[c.column-1], c.Value, at)
		default:
			if v, err := strconv.ParseFloat(c.Value, 64); err == nil && v != 0 {
				b.note(NoteHiddenRows, fmt.Sprintf("the number %s is hidden by its format and was not read", c.Value), at)
			}
		}
	}
}

// styleNotes are the texts of notes on styles of cells.
var styleNotes = map[string]string{NoteStruck: "a text is struck through", NoteInvisible: "a text has the colour of its background and was read"}

// struck notes a row with cells that are struck through, or have one colour.
func (b *book) struck(f *excelize.File, behind []cellXML, row int) {
	for _, c := range behind {
		if c.Style == 0 || c.Value == "" && c.Kind != "inlineStr" {
			continue
		}
		code, known := b.strikes[c.Style]
		if !known {
			style, err := f.GetStyle(c.Style)
			switch {
			case err != nil || style.Font == nil:
			case style.Font.Strike:
				code = NoteStruck
			case unseen(f, style):
				code = NoteInvisible
			}
			b.strikes[c.Style] = code
		}
		if code != "" {
			b.note(code, styleNotes[code], b.here(row, 0))
			return
		}
	}
}

// unseen reports whether a text has about the colour of its background.
func unseen(f *excelize.File, style *excelize.Style) bool {
	const white, least = "FFFFFF", 16 // least is the least difference of one of red, green and blue
	text, ground := white, white
	if font := style.Font; style.CustomNumFmt == nil || !strings.Contains(strings.ToLower(*style.CustomNumFmt), "[white]") {
		text = f.GetBaseColor(font.Color, font.ColorIndexed, font.ColorTheme)
		if opaque := max(len(text)-len(white), 0); len(text[opaque:]) == len(white) {
			text = strings.TrimPrefix(excelize.ThemeColor(text[opaque:], font.ColorTint), "FF")
		}
	}
	if len(style.Fill.Color) > 0 {
		ground = style.Fill.Color[0]
	}
	a, _ := hex.DecodeString(text)
	b, _ := hex.DecodeString(ground)
	if len(a) != len(b) { // one is not known
		return false
	}
	for i := range b {
		if max(a[i], b[i])-min(a[i], b[i]) >= least {
			return false
		}
	}
	return len(a) > 0
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

// number sets the stored number of a cell. A long whole number is shown with all
// of its digits, unlike in a spreadsheet.
func (b *book) number(c *Cell, stored string, at Place) {
	v, err := strconv.ParseFloat(stored, 64)
	if err != nil {
		return
	}
	c.Number = strconv.FormatFloat(v, 'f', -1, 64)
	whole := v == float64(int64(v)) && v >= 0 && v < 1e18
	if whole && strings.Trim(c.Text, "0123456789.,+eE") == "" && strings.ContainsAny(c.Text, "eE") {
		c.Text = c.Number
	}
	if whole && v >= exact {
		b.note(NoteImprecise, fmt.Sprintf("%s was stored as a number, with a precision of 15 digits", c.Number), at)
	}
}

// merge copies the texts of merged cells to the cells that they span.
func (b *book) merge(ranges []cellRange) {
	t := &b.Tables[len(b.Tables)-1]
	for _, m := range ranges {
		text := ""
		for i := range t.Rows {
			row := &t.Rows[i]
			if row.Number < m.top || row.Number > m.bottom {
				continue
			}
			if row.Number == m.top && m.left <= len(row.Cells) {
				text = row.Cells[m.left-1].Text
			}
			if text == "" {
				break
			}
			for col := m.left; col <= min(m.right, MaxColumns) && b.cells < MaxCells; col++ {
				if row.Number == m.top && col == m.left {
					continue
				}
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
}
