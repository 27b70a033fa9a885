package tables

import (
	"cmp"
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
