package tables

import (
	"bytes"
	"path"
	"strings"

	"github.com/xuri/excelize/v2"
)

// ole is the signature of compound files: old workbooks, and encrypted new ones
// ([MS-CFB], 2.2).
var ole = []byte{0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1}

// encryptedPackage is the name of the stream of an encrypted workbook
// ([MS-OFFCRYPTO], 2.3.4), in UTF-16.
var encryptedPackage = []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")

// workbook is a workbook that is being read. The library opens it and formats numbers; it does not
// give the kinds and stored numbers of cells without searching for each cell.
type workbook struct {
	*book
	file    *excelize.File
	strings []richText // shared
	styles  map[int]style
}

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
	w := &workbook{book: b, file: f, styles: map[int]style{}}
	parts, err := w.index()
	if err != nil {
		return err
	}
	sheets := f.WorkBook.Sheets.Sheet
	_, _ = f.NewSheet(scratch) // where it exists, its part is read and not this one
	for _, sheet := range sheets {
		if sheet.State == "hidden" || sheet.State == "veryHidden" {
			b.note(NoteHiddenSheet, "the sheet "+sheet.Name+" is hidden and was not read", Place{Sheet: sheet.Name})
			continue
		}
		b.table(sheet.Name)
		if err := w.sheet(w.part(parts[sheet.ID])); err != nil {
			return err
		}
	}
	return nil
}

// recovered returns a panic of a library as Malformed.
func recovered(err *error) {
	if recover() != nil {
		*err = unreadable(Malformed, "the document is damaged")
	}
}

// part returns a part of the workbook; nil: it is missing.
func (w *workbook) part(name string) []byte {
	content, _ := w.file.Pkg.Load(name)
	part, _ := content.([]byte)
	return part
}

// index reads the shared strings, and returns the parts of sheets by their relations.
func (w *workbook) index() (parts map[string]string, err error) {
	var text richText
	err = elements(w.part("xl/sharedStrings.xml"), func(e, parent element) error {
		if text.visit(e, parent); e.Name.Local == "si" {
			w.strings, text = append(w.strings, text), richText{}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	parts = map[string]string{}
	return parts, elements(w.part("xl/_rels/workbook.xml.rels"), func(e, _ element) error {
		target := e.attribute("Target")
		if !path.IsAbs(target) {
			target = path.Join("/xl", target)
		}
		parts[e.attribute("Id")] = strings.TrimPrefix(target, "/")
		return nil
	})
}

// ColumnName returns the letters of a column in a spreadsheet.
func ColumnName(column int) string {
	name, _ := excelize.ColumnNumberToName(column) // tables have at most MaxColumns
	return name
}
