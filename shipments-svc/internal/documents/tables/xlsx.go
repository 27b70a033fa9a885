package tables

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

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

// xlsx reads the visible sheets of a workbook (ECMA-376). The unpacked size is
// limited, so that excelize keeps everything in memory.
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

// recovered returns a panic of a library as Malformed, but for that of PDFium without memory: it executes the
// instruction unreachable.
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
