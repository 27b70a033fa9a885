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
	parts := partsOf(f)
	if b.strings, err = stringsOf(partOf(f, "xl/sharedStrings.xml")); err != nil {
		return unreadable(Malformed, "the texts of the workbook are damaged")
	}
	b.formats = formats{f: f, general: map[int]bool{}, texts: map[format]string{}}
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

// sheet reads the rows of a sheet from its XML. excelize only formats its numbers: its
// streaming reader has neither stored values nor hidden columns and merged cells, and its
// other functions load the whole sheet.
func (b *book) sheet(f *excelize.File, part []byte) error {
	s := newSheetXML(part)
	hidden, first, hiddenColumn := 0, 0, 0
	for s.next() {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		if s.flat {
			if len(s.cells) > 0 {
				if hidden++; hidden == 1 {
					first = s.row
				}
			}
			continue
		}
		var cells []Cell
		for _, c := range s.cells {
			if c.column > MaxColumns {
				continue
			}
			for len(cells) < c.column {
				cells = append(cells, Cell{})
			}
			cell := b.stored(c, b.here(s.row, c.column))
			if cell.Text != "" && s.isHidden(c.column) {
				cell = Cell{}
				if hiddenColumn == 0 {
					hiddenColumn = c.column
					b.note(
						NoteHiddenColumns,
						"hidden columns were not read, the first is "+ColumnName(c.column),
						b.here(s.row, c.column),
					)
				}
			}
			cells[c.column-1] = cell
		}
		b.struck(f, s.cells, s.row)
		if err := b.row(Row{Number: s.row, Cells: cells}); err != nil {
			return err
		}
	}
	if s.err != nil {
		return &Unreadable{Code: Malformed, Detail: "the sheet is damaged", Place: b.here(s.row, 0)}
	}
	switch hidden {
	case 0:
	case 1:
		b.note(NoteHiddenRows, "a hidden row was not read", b.here(first, 0))
	default:
		b.note(NoteHiddenRows, fmt.Sprintf("%d hidden rows were not read, this is the first", hidden), b.here(first, 0))
	}
	b.merge(s.merges)
	return nil
}

// ColumnName returns the letters of a column in a spreadsheet.
func ColumnName(column int) string {
	name, _ := excelize.ColumnNumberToName(column) // tables have at most MaxColumns
	return name
}

// stored returns a stored cell as it is shown, and notes what its kind or format hides.
func (b *book) stored(c cellXML, at Place) Cell {
	text := richText{text: c.Value}
	switch c.Kind {
	case "s":
		if text = (richText{}); c.Value != "" && whole(c.Value) < len(b.strings) {
			text = b.strings[whole(c.Value)]
		}
	case "inlineStr":
		text = c.Inline.rich()
	case "b":
		text.text = map[bool]string{true: "TRUE", false: "FALSE"}[c.Value == "1"]
	case "e":
		b.note(NoteError, fmt.Sprintf("the cell has the error %.20s", c.Value), at)
		return Cell{}
	case "", "n":
		if c.Value != "" {
			return b.number(c, at)
		}
	}
	if c.Formula != nil && c.Value == "" {
		b.note(NoteFormula, "the formula has no stored value; open the workbook in a spreadsheet and save it again", at)
	}
	if text.struck {
		b.note(NoteStruck, "a text is struck through", at)
	}
	return b.cell(text.text, at)
}

// styleNotes are the texts of notes on styles of cells.
var styleNotes = map[string]string{
	NoteStruck:    "a text is struck through",
	NoteInvisible: "a text has the colour of its background and was read",
}

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
	if font := style.Font; style.CustomNumFmt == nil ||
		!strings.Contains(strings.ToLower(*style.CustomNumFmt), "[white]") {
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

// number returns the cell of a stored number. A long whole number is shown with all of
// its digits, unlike in a spreadsheet.
func (b *book) number(c cellXML, at Place) Cell {
	cell := b.cell(b.formats.text(c.Style, c.Value), at)
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
