package tables

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// cellOf returns a stored cell as it is shown, and notes what its kind or format hides.
func (w *workbook) cellOf(c cellXML, at Place) Cell {
	text, struck := c.Value, false
	switch c.Kind {
	case "s":
		if i, err := strconv.Atoi(text); err == nil && i >= 0 && i < len(w.strings) {
			text, struck = w.strings[i].text()
		}
	case "inlineStr":
		if c.Inline != nil {
			text, struck = c.Inline.text()
		}
	case "b":
		text = map[string]string{"0": "FALSE", "1": "TRUE"}[text]
	case "e":
		w.note(NoteError, fmt.Sprintf("the cell has the error %.20s", text), at)
		return Cell{}
	case "", "n":
		if text != "" {
			return w.number(c, at)
		}
	}
	if c.Formula != nil && c.Value == "" {
		w.note(NoteFormula, "the formula has no stored value; open the workbook in a spreadsheet and save it again", at)
	}
	if struck {
		w.note(NoteStruck, "a text is struck through", at)
	}
	return w.cell(text, at)
}

// number returns the cell of a stored number. A long whole number is shown with all of
// its digits, unlike in a spreadsheet.
func (w *workbook) number(c cellXML, at Place) Cell {
	const exact = 1e15 // from 16 digits on, doubles are imprecise
	cell := w.cell(w.formatted(c.Style, c.Value), at)
	v, err := strconv.ParseFloat(c.Value, 64)
	switch {
	case err != nil:
		return cell
	case cell.Text == "":
		if v != 0 {
			w.note(NoteHiddenRows, fmt.Sprintf("the number %s is hidden by its format and was not read", c.Value), at)
		}
		return cell
	}
	cell.Number = strconv.FormatFloat(v, 'f', -1, 64)
	whole := v == float64(int64(v)) && v >= 0 && v < 1e18
	if whole && strings.Trim(cell.Text, "0123456789.,+eE") == "" && strings.ContainsAny(cell.Text, "eE") {
		cell.Text = cell.Number
	}
	if whole && v >= exact {
		w.note(NoteImprecise, fmt.Sprintf("%s was stored as a number, with a precision of 15 digits", cell.Number), at)
	}
	return cell
}

// style is what a style of cells says about reading them.
type style struct {
	general bool // has no format of numbers
	struck  bool
}

// style returns a style.
func (w *workbook) style(id int) style {
	s, known := w.styles[id]
	if !known {
		s.general = true
		if found, err := w.file.GetStyle(id); err == nil {
			s.general = id == 0 || found.NumFmt == 0 && found.CustomNumFmt == nil
			s.struck = found.Font != nil && found.Font.Strike
		}
		w.styles[id] = s
	}
	return s
}

// formatted returns a stored number as its style shows it, without one with at most 15
// digits. excelize formats the numbers of cells only.
func (w *workbook) formatted(style int, stored string) string {
	const sheet, cell, digits = "formatted numbers", "A1", 15
	if !w.style(style).general {
		if !w.scratch {
			w.scratch = true
			_, _ = w.file.NewSheet(sheet) // where it exists, its part is read and not this one
		}
		if w.file.SetCellDefault(sheet, cell, stored) == nil && w.file.SetCellStyle(sheet, cell, cell, style) == nil {
			if text, err := w.file.GetCellValue(sheet, cell); err == nil {
				return text
			}
		}
	}
	v, err := strconv.ParseFloat(stored, 64)
	if err != nil || len(stored) <= digits || strings.ContainsAny(stored, "eE") || !strings.Contains(stored, ".") {
		return stored
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// A superscript number behind another is that of a footnote.
var (
	footnote    = regexp.MustCompile(`^[0-9 ]*$`)
	endsInDigit = regexp.MustCompile(`[0-9]$`)
)

// text returns the text of a string without struck runs, unless there is no other, and
// whether it has one.
func (s *stringXML) text() (_ string, isStruck bool) {
	if s.Runs == nil { // the common case
		return strings.ReplaceAll(s.Text, "_x000D_", "\r"), false
	}
	kept, struck := "", ""
	for _, r := range s.Runs {
		switch {
		case r.Strike != nil && r.Strike.Value != "0" && r.Strike.Value != "false":
			struck += r.Text
		case r.Align.Value == "superscript" && footnote.MatchString(r.Text) && endsInDigit.MatchString(kept):
			kept += "*"
		default:
			kept += r.Text
		}
	}
	if strings.TrimSpace(kept) == "" {
		kept = struck
	}
	return kept, struck != ""
}
