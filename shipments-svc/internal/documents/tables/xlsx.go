package tables

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// workbook is a workbook that is being read. The library opens it and formats numbers; it does not
// give the kinds and stored numbers of cells without searching for each cell.
type workbook struct {
	*book
	file     *excelize.File
	date1904 bool              // days are counted from 1904
	sheets   map[string]string // parts, by the ids of relations
	strings  []richText        // shared
	styles   map[int]style
}

// xlsx reads the visible sheets of a workbook (ECMA-376), which excelize keeps in memory: its size is limited.
func (b *book) xlsx(raw []byte) (err error) {
	defer recovered(&err)
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
	w := &workbook{book: b, file: f, sheets: map[string]string{}, styles: map[int]style{}}
	if err := w.index(); err != nil {
		return err
	}
	if props := f.WorkBook.WorkbookPr; props != nil {
		w.date1904 = props.Date1904
	}
	sheets := f.WorkBook.Sheets.Sheet
	_, _ = f.NewSheet(scratch) // where it exists, its part is read and not this one
	for _, sheet := range sheets {
		if sheet.State == "hidden" || sheet.State == "veryHidden" {
			b.note(NoteHiddenSheet, "the sheet "+sheet.Name+" is hidden and was not read", Place{Sheet: sheet.Name})
			continue
		}
		b.table(sheet.Name)
		if err := w.sheet(w.part(w.sheets[sheet.ID])); err != nil {
			return err
		}
	}
	return nil
}

// recovered returns a panic of a library as Malformed, or that of PDFium without memory, an unreachable instruction.
func recovered(err *error) {
	switch why := recover(); {
	case why == nil:
	case strings.Contains(fmt.Sprint(why), "wasm error: unreachable"):
		*err = unreadable(TooMuchMemory, "reading the document takes more than %d MiB of memory", maxPDFium>>4)
	default:
		*err = unreadable(Malformed, "the document is damaged")
	}
}

// part returns a part of the workbook; nil: it is missing.
func (w *workbook) part(name string) []byte {
	content, _ := w.file.Pkg.Load(name)
	part, _ := content.([]byte)
	return part
}

// index finds the parts of sheets, and reads the shared strings. Relations say where each part is (ECMA-376, part 2).
func (w *workbook) index() error {
	main := "xl/workbook.xml"
	err := w.relations("", func(kind, _, part string) error {
		if kind == "officeDocument" {
			main = part
		}
		return nil
	})
	return errors.Join(err, w.relations(main, func(kind, id, part string) error {
		if kind == "sharedStrings" {
			return w.readStrings(part)
		}
		w.sheets[id] = part
		return nil
	}))
}

// relations visits the relations of a part, or of the workbook as a whole: what they are, their ids, and their parts.
func (w *workbook) relations(of string, visit func(kind, id, part string) error) error {
	folder, name := path.Split(of)
	return elements(w.part(folder+"_rels/"+name+".rels"), func(e, _ element) error {
		target := e.attribute("Target")
		if !path.IsAbs(target) {
			target = path.Join("/", folder, target)
		}
		return visit(path.Base(e.attribute("Type")), e.attribute("Id"), strings.TrimPrefix(target, "/"))
	})
}

func (w *workbook) readStrings(part string) error {
	var text richText
	return elements(w.part(part), func(e, parent element) error {
		if text.visit(e, parent); e.Name.Local == "si" {
			w.strings, text = append(w.strings, text), richText{}
		}
		return nil
	})
}

// ColumnName returns the letters of a column in a spreadsheet.
func ColumnName(column int) string {
	name, _ := excelize.ColumnNumberToName(column) // tables have at most MaxColumns
	return name
}

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

// number returns the cell of a stored number. A long whole number is shown with all of its digits.
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
