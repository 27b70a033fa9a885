package tables

import (
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// formats formats the numbers of a workbook as it shows them.
type formats struct {
	f       *excelize.File
	sheet   string       // on which excelize formats them
	general map[int]bool // styles without a format of numbers
	texts   map[format]string
}

// format is a number in a style.
type format struct {
	style  int
	stored string
}

// maxTexts is the maximum number of formatted numbers that are kept.
const maxTexts = 10_000

// text returns a stored number as its style shows it.
func (t *formats) text(style int, stored string) string {
	general, known := t.general[style]
	if !known {
		s, err := t.f.GetStyle(style)
		general = style == 0 || err != nil || s.NumFmt == 0 && s.CustomNumFmt == nil
		t.general[style] = general
	}
	if general {
		return plainNumber(stored)
	}
	text, known := t.texts[format{style, stored}]
	if known {
		return text
	}
	const sheet, cell = "formatted numbers", "A1"
	if t.sheet == "" {
		t.sheet = sheet
		_, _ = t.f.NewSheet(sheet) // where it exists, its sheet was read already or is not changed on disk
	}
	if t.f.SetCellDefault(sheet, cell, stored) != nil || t.f.SetCellStyle(sheet, cell, cell, style) != nil {
		return plainNumber(stored)
	}
	text, err := t.f.GetCellValue(sheet, cell)
	if err != nil {
		return plainNumber(stored)
	}
	if len(t.texts) < maxTexts {
		t.texts[format{style, stored}] = text
	}
	return text
}

// plainNumber returns a stored number with at most 15 digits, as a cell without a format
// shows it.
func plainNumber(stored string) string {
	const digits = 15
	if len(stored) <= digits || strings.ContainsAny(stored, "eE") {
		return stored
	}
	v, err := strconv.ParseFloat(stored, 64)
	if err != nil || !strings.Contains(stored, ".") {
		return stored
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64) // it was one before
	return strconv.FormatFloat(short, 'f', -1, 64)
}
