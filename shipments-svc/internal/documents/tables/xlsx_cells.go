package tables

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// shown returns a stored cell as it is shown, and notes what its kind or format hides.
func (s *sheet) shown(c element, at Place) Cell {
	text, struck := s.cell.value, false
	switch c.attribute("t") {
	case "s":
		if i, err := strconv.Atoi(text); err == nil && i >= 0 && i < len(s.strings) {
			text, struck = s.strings[i].text()
		}
	case "inlineStr":
		text, struck = s.cell.inline.text()
	case "b":
		text = map[string]string{"0": "FALSE", "1": "TRUE"}[text]
	case "str":
		text = unescaped(text)
	case "d":
		cell := s.book.cell(text, at)
		cell.Date, _, _ = strings.Cut(text, "T")
		return cell
	case "e":
		s.note(NoteError, fmt.Sprintf("the cell has the error %.20s", text), at)
		return Cell{}
	case "", "n":
		if text != "" {
			return s.number(c.number("s"), text, at)
		}
	}
	if s.cell.formula && s.cell.value == "" {
		s.note(NoteFormula, "the formula has no stored value; open the workbook in a spreadsheet and save it again", at)
	}
	if struck {
		s.note(NoteStruck, "a text is struck through", at)
	}
	return s.book.cell(text, at)
}

// number returns the cell of a stored number. A long whole number is shown with all of
// its digits, unlike in a spreadsheet.
func (w *workbook) number(style int, stored string, at Place) Cell {
	const exact = 1e15 // from 16 digits on, doubles are imprecise
	cell := w.cell(w.formatted(style, stored), at)
	v, err := strconv.ParseFloat(stored, 64)
	if err != nil || cell.Text == "" {
		return cell
	}
	cell.Number = strconv.FormatFloat(v, 'f', -1, 64)
	if day, err := excelize.ExcelDateToTime(v, w.date1904); err == nil && w.style(style).date {
		cell.Date = day.Format(time.DateOnly)
	}
	whole := v == float64(int64(v)) && v >= 0 && v < 1e18
	if whole && strings.Trim(cell.Text, "0123456789.,+eE") == "" && strings.ContainsAny(cell.Text, "eE") {
		if !w.style(style).general && v < exact && strings.HasSuffix(cell.Number, "0") {
			w.note(NoteImprecise, fmt.Sprintf("%s is stored as the number %s; it may have been a code such as 12E4",
				cell.Text, cell.Number), at)
		}
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
	date    bool // has a format of dates
	struck  bool
}

// style returns a style.
func (w *workbook) style(id int) style {
	s, known := w.styles[id]
	if !known {
		s.general = true
		if found, err := w.file.GetStyle(id); err == nil {
			s.general = id == 0 || found.NumFmt == 0 && found.CustomNumFmt == nil
			s.date = isDate(found.NumFmt, found.CustomNumFmt)
			s.struck = found.Font != nil && found.Font.Strike
		}
		w.styles[id] = s
	}
	return s
}

// literal matches what a format of numbers shows as it is, and its conditions and colours (ECMA-376, 18.8.31).
var literal = regexp.MustCompile(`"[^"]*"|\\.|\[[^\]]*\]|[_*].`)

// isDate reports whether a format of numbers, which is built in or has a code, shows years or days.
func isDate(builtIn int, code *string) bool {
	if code != nil {
		return strings.ContainsAny(strings.ToLower(literal.ReplaceAllString(*code, "")), "yd")
	}
	between := func(from, to int) bool { return builtIn >= from && builtIn <= to }
	return between(14, 17) || builtIn == 22 || between(27, 31) || between(50, 58) || builtIn == 36
}

// scratch is the name of a sheet for formatting numbers: excelize formats those of cells only.
const scratch = "formatted numbers"

// formatted returns a stored number as its style shows it, without one with at most 15 digits.
func (w *workbook) formatted(style int, stored string) string {
	const cell, digits = "A1", 15
	if !w.style(style).general {
		err := errors.Join(w.file.SetCellDefault(scratch, cell, stored), w.file.SetCellStyle(scratch, cell, cell, style))
		if text, err2 := w.file.GetCellValue(scratch, cell); err == nil && err2 == nil {
			return text
		}
	}
	v, err := strconv.ParseFloat(stored, 64)
	if err != nil || len(stored) <= digits || strings.ContainsAny(stored, "eE") || !strings.Contains(stored, ".") {
		return stored
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}
