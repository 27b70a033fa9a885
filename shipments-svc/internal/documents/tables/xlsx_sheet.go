package tables

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// sheet is a sheet of a workbook that is being read.
type sheet struct {
	*workbook
	hidden map[int]bool // columns
	merges []string     // such as B2:D9
	row    Row
	cell   storedCell
	column int             // of the cell
	noted  map[string]bool // what of the sheet is
	struck int             // the last row with such a cell
}

// storedCell is the content of a cell as it is stored.
type storedCell struct {
	value   string
	inline  richText
	formula bool
}

// sheet reads a sheet from its part.
func (w *workbook) sheet(part []byte) error {
	s := &sheet{workbook: w, row: Row{Number: 1}, hidden: map[int]bool{}, noted: map[string]bool{}}
	if err := elements(part, s.visit); err != nil {
		return err
	}
	for _, ref := range s.merges {
		w.merge(ref)
	}
	return nil
}

// visit reads an element.
func (s *sheet) visit(e, parent element) (err error) {
	switch s.cell.inline.visit(e, parent); e.Name.Local {
	case "col":
		for column := e.number("min"); column <= min(e.number("max"), MaxColumns) && e.hidden("width"); column++ {
			s.hidden[column] = true
		}
	case "v":
		s.cell.value = e.text
	case "f":
		s.cell.formula = true
	case "c":
		s.row.Number = cmp.Or(parent.number("r"), s.row.Number)
		err = s.add(e, parent)
		s.cell = storedCell{}
	case "row":
		s.row.Number = cmp.Or(e.number("r"), s.row.Number)
		if s.row.Number <= 0 || s.row.Number > excelize.TotalRows {
			return errDamaged
		}
		err = s.workbook.row(s.row)
		s.row, s.column = Row{Number: s.row.Number + 1, Cells: make([]Cell, 0, len(s.row.Cells))}, 0
	case "mergeCell":
		s.merges = append(s.merges, e.attribute("ref"))
	}
	return err
}

// add adds a cell to the row unless it is hidden.
func (s *sheet) add(c, row element) (err error) {
	if s.column++; c.attribute("r") != "" {
		if s.column, _, err = excelize.CellNameToCoordinates(c.attribute("r")); err != nil {
			return errDamaged
		}
	}
	at := s.here(s.row.Number, s.column)
	if row.hidden("ht") {
		s.once(NoteHiddenRows, "hidden rows were not read", s.here(at.Row, 0))
		return nil
	} else if s.column > MaxColumns {
		return nil
	}
	cell := s.shown(c, at)
	if cell.Text != "" && s.hidden[s.column] {
		s.once(NoteHiddenColumns, "hidden columns were not read, the first is "+ColumnName(at.Column), at)
		return nil
	}
	s.row.Cells = append(s.row.Cells, make([]Cell, max(0, s.column-len(s.row.Cells)))...)
	s.row.Cells[s.column-1] = cell
	if cell.Text != "" && s.struck != at.Row && s.style(c.number("s")).struck {
		s.struck = at.Row
		s.note(NoteStruck, "a text is struck through", s.here(at.Row, 0))
	}
	return nil
}

// once notes something on the sheet at its first place.
func (s *sheet) once(code, text string, at Place) {
	if !s.noted[code] {
		s.noted[code] = true
		s.note(code, text, at)
	}
}

// merge copies the text of a merged cell, such as B2:D9, to the cells that it spans.
func (b *book) merge(ref string) {
	from, to, _ := strings.Cut(ref, ":")
	left, top, err := excelize.CellNameToCoordinates(from)
	right, bottom, err2 := excelize.CellNameToCoordinates(to)
	if err != nil || err2 != nil {
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

// element is an element of a part of a workbook.
type element struct {
	xml.StartElement
	text string // directly within it
}

// attribute returns the value of an attribute; empty: there is none.
func (e element) attribute(name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// number returns a number in an attribute; 0: there is none.
func (e element) number(name string) int {
	n, _ := strconv.Atoi(cmp.Or(e.attribute(name), "0")) // an error would take time
	return n
}

// hidden reports whether a row or column is, or has no size.
func (e element) hidden(size string) bool {
	state := e.attribute("hidden")
	return state == "1" || state == "true" || e.attribute(size) == "0"
}

// errDamaged is the error of a part that is no XML, or has cells that cannot be.
var errDamaged = unreadable(Malformed, "the contents of the workbook are damaged")

// elements calls visit at the end of each element of a part of a workbook. Structs would take twice as long.
func elements(part []byte, visit func(e, parent element) error) error {
	d := xml.NewDecoder(bytes.NewReader(part))
	path := []element{{}}
	for {
		token, err := d.RawToken()
		last := len(path) - 1
		switch t := token.(type) {
		case xml.StartElement:
			path = append(path, element{StartElement: t})
		case xml.CharData:
			path[last].text += string(t)
		case xml.EndElement:
			if last == 0 || t.Name != path[last].Name {
				return errDamaged
			}
			if err := visit(path[last], path[last-1]); err != nil {
				return err
			}
			path = path[:last]
		}
		if errors.Is(err, io.EOF) && last == 0 {
			return nil
		} else if err != nil {
			return errDamaged
		}
	}
}

// escape matches a character that XML cannot have in a string of a workbook (ECMA-376, 22.9.2.19).
var escape = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// unescaped returns a string of a workbook with its escaped characters.
func unescaped(text string) string {
	return escape.ReplaceAllStringFunc(text, func(code string) string {
		unit, _ := strconv.ParseUint(code[2:6], 16, 16) // matches
		return string(rune(unit))
	})
}

// richText is the text of a string of a workbook, shared or in its cell.
type richText struct {
	kept, struck string
	isStruck     bool // the run is
}

// visit adds the text of an element.
func (s *richText) visit(e, parent element) {
	switch {
	case e.Name.Local == "r":
		s.isStruck = false
	case e.Name.Local == "strike":
		s.isStruck = e.attribute("val") != "0" && e.attribute("val") != "false"
	case e.Name.Local != "t" || parent.Name.Local == "rPh": // how it is pronounced
	case s.isStruck:
		s.struck += unescaped(e.text)
	default:
		s.kept += unescaped(e.text)
	}
}

// text returns a text without struck runs, unless there is no other, and whether it has one.
func (s *richText) text() (_ string, hasStruck bool) {
	return cmp.Or(strings.TrimSpace(s.kept), s.struck), s.struck != ""
}
