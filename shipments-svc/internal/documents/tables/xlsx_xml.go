package tables

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// partsOf returns the XML of the sheets of a workbook by name.
func partsOf(f *excelize.File) map[string][]byte {
	var workbook struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	var relations struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	parts := map[string][]byte{}
	if xml.Unmarshal(partOf(f, "xl/workbook.xml"), &workbook) != nil ||
		xml.Unmarshal(partOf(f, "xl/_rels/workbook.xml.rels"), &relations) != nil {
		return parts
	}
	for _, s := range workbook.Sheets {
		for _, r := range relations.All {
			if r.ID == s.ID {
				target := strings.TrimPrefix(path.Join("xl", r.Target), "/")
				if path.IsAbs(r.Target) {
					target = strings.TrimPrefix(r.Target, "/")
				}
				parts[s.Name] = partOf(f, target)
			}
		}
	}
	return parts
}

func partOf(f *excelize.File, name string) []byte {
	content, _ := f.Pkg.Load(name)
	part, _ := content.([]byte)
	return part
}

// sheetXML reads the XML of a sheet row by row.
type sheetXML struct {
	decoder *xml.Decoder
	row     int  // number of the last row; 0 before the first
	flat    bool // the last row is hidden, or too low to be seen
	cells   []cellXML
	merges  []cellRange
	hidden  []cellRange // columns
	err     error       // nil at the end of the sheet
}

// errPlace is the error of a row that a sheet cannot have.
var errPlace = errors.New("the number of a row is not valid")

// cellXML is a stored cell.
type cellXML struct {
	column  int
	Ref     string    `xml:"r,attr"`
	Kind    string    `xml:"t,attr"` // empty or "n": a number
	Style   int       `xml:"s,attr"`
	Value   string    `xml:"v"`
	Inline  stringXML `xml:"is"`
	Formula *struct{} `xml:"f"`
}

// cellRange is a range of cells, both ends included.
type cellRange struct{ left, top, right, bottom int }

// maxMerges is the maximum number of merged ranges of a sheet.
const maxMerges = 10_000

func newSheetXML(part []byte) *sheetXML {
	return &sheetXML{decoder: xml.NewDecoder(bytes.NewReader(part))}
}

// next reads the next row. It returns false at the end.
func (s *sheetXML) next() bool {
	for s.err == nil {
		token, err := s.decoder.Token()
		if errors.Is(err, io.EOF) {
			return false
		}
		if s.err = err; err != nil {
			return false
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "row":
			s.readRow(e)
			return s.err == nil
		case "col":
			if hides(e) && len(s.hidden) < MaxColumns {
				s.hidden = append(s.hidden, cellRange{left: whole(attribute(e, "min")), right: whole(attribute(e, "max"))})
			}
		case "mergeCell":
			if m, ok := rangeOf(attribute(e, "ref")); ok && len(s.merges) < maxMerges {
				s.merges = append(s.merges, m)
			}
		}
	}
	return false
}

// readRow reads a row after its start. Numbers that are missing continue the
// previous ones.
func (s *sheetXML) readRow(start xml.StartElement) {
	s.row++
	if number := attribute(start, "r"); number != "" {
		if s.row = whole(number); s.row == 0 || s.row > excelize.TotalRows {
			s.err = errPlace
			return
		}
	}
	s.flat = under(attribute(start, "ht"), lowest) || isTrue(attribute(start, "hidden"))
	row := struct {
		Cells []cellXML `xml:"c"`
	}{make([]cellXML, 0, len(s.cells))} // encoding/xml does not reset the elements of a slice
	s.err = s.decoder.DecodeElement(&row, &start)
	s.cells = row.Cells
	for i, column := 0, 0; i < len(s.cells); i++ {
		column++
		if s.cells[i].Ref != "" && s.err == nil {
			column, _, s.err = excelize.CellNameToCoordinates(s.cells[i].Ref)
		}
		s.cells[i].column = column
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// hides reports whether a col element hides its columns.
func hides(e xml.StartElement) bool {
	return isTrue(attribute(e, "hidden")) || under(attribute(e, "width"), narrowest)
}

func isTrue(value string) bool { return value == "1" || value == "true" }

// lowest is the least height of a row that is seen in points, narrowest the least width
// of a column in characters.
const lowest, narrowest = 3, 0.1

func under(length string, least float64) bool {
	n, err := strconv.ParseFloat(length, 64)
	return err == nil && n < least
}

// isHidden reports whether a column is hidden. It is valid after the first row.
func (s *sheetXML) isHidden(column int) bool {
	return slices.ContainsFunc(
		s.hidden,
		func(h cellRange) bool { return h.left > 0 && column >= h.left && column <= h.right },
	)
}

// whole parses the number of a row or column; 0 if invalid.
func whole(text string) int {
	n := 0
	for _, c := range []byte(text) {
		if c < '0' || c > '9' || n > excelize.TotalRows {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// rangeOf parses a reference such as B2:D9.
func rangeOf(ref string) (r cellRange, ok bool) {
	from, to, found := strings.Cut(ref, ":")
	if !found {
		return r, false
	}
	var err1, err2 error
	r.left, r.top, err1 = excelize.CellNameToCoordinates(from)
	r.right, r.bottom, err2 = excelize.CellNameToCoordinates(to)
	return r, err1 == nil && err2 == nil && r.left <= r.right && r.top <= r.bottom
}
