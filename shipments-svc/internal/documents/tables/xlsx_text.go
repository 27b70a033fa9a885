package tables

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/xuri/excelize/v2"
)

// workbook is a workbook that is being read.
type workbook struct {
	file    *excelize.File
	strings []stringXML // shared
	styles  map[int]style
	scratch bool // there is a sheet for formatting numbers
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

// formatted returns a stored number as its style shows it. excelize formats the numbers of
// cells only.
func (w *workbook) formatted(style int, stored string) string {
	if w.style(style).general {
		return plainNumber(stored)
	}
	const sheet, cell = "formatted numbers", "A1"
	if !w.scratch {
		w.scratch = true
		_, _ = w.file.NewSheet(sheet) // where it exists, its part is read and not this one
	}
	if w.file.SetCellDefault(sheet, cell, stored) != nil || w.file.SetCellStyle(sheet, cell, cell, style) != nil {
		return plainNumber(stored)
	}
	text, err := w.file.GetCellValue(sheet, cell)
	if err != nil {
		return plainNumber(stored)
	}
	return text
}

// plainNumber returns a stored number with at most 15 digits, as a cell without a format
// shows it.
func plainNumber(stored string) string {
	const digits = 15
	if len(stored) <= digits || strings.ContainsAny(stored, "eE") || !strings.Contains(stored, ".") {
		return stored
	}
	v, err := strconv.ParseFloat(stored, 64)
	if err != nil {
		return stored
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64) // it was one before
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// text returns the text of a string without struck runs, unless there is no other, and
// whether it has one. Superscript numbers are footnote marks.
func (s *stringXML) text() (_ string, isStruck bool) {
	var kept, struck strings.Builder
	if s.Runs == nil { // the common case
		return strings.ReplaceAll(s.Text, "_x000D_", "\r"), false
	}
	for _, r := range s.Runs {
		number := strings.Trim(r.Text, "0123456789 ") == "" && kept.Len() > 0 &&
			unicode.IsDigit(rune(kept.String()[kept.Len()-1]))
		switch {
		case r.Strike != nil && r.Strike.Value != "0" && r.Strike.Value != "false":
			struck.WriteString(r.Text)
		case r.Align.Value == "superscript" && number:
			kept.WriteString("*")
		default:
			kept.WriteString(r.Text)
		}
	}
	text := kept.String()
	if strings.TrimSpace(text) == "" {
		text = struck.String()
	}
	return text, struck.Len() > 0
}
