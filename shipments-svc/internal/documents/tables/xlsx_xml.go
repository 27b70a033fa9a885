package tables

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// partsOf returns the XML of a workbook's sheets, by their names.
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
	if xml.Unmarshal(partOf(f, "xl/workbook.xml"), &workbook) != nil || xml.Unmarshal(partOf(f, "xl/_rels/workbook.xml.rels"), &relations) != nil {
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

// sheetXML goes through the XML of a sheet, row by row.
type sheetXML struct {
	decoder *xml.Decoder
	row     int       // number of the last row; 0 before the first
	cells   []cellXML // its cells
	merges  []cellRange
	hidden  []cellRange // columns; their rows are not set
	err     error       // nil at the end
}

// cellXML is a cell as it is stored.
type cellXML struct {
	column  int
	kind    string // its attribute t; empty or "n": a number
	value   string
	formula bool
}

// cellRange is a range of cells, its ends included.
type cellRange struct{ left, top, right, bottom int }

// maxMerges is how many merged ranges of a sheet are looked at.
const maxMerges = 10_000

func newSheetXML(part []byte) *sheetXML {
	return &sheetXML{decoder: xml.NewDecoder(bytes.NewReader(part))}
}

// next goes to the next row, or reports that there is none.
func (s *sheetXML) next() bool {
	for s.err == nil {
		token, err := s.decoder.Token()
		if err != nil {
			s.end(err)
			return false
		}
		switch e := token.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "row":
				s.row++
				if n := whole(attribute(e, "r")); n > 0 {
					s.row = n
				}
				s.readRow()
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
		default:
		}
	}
	return false
}

// finish goes to the end, behind which nothing is missing.
func (s *sheetXML) finish() {
	for s.next() {
		continue
	}
}

func (s *sheetXML) end(err error) {
	if s.err = err; errors.Is(err, io.EOF) {
		s.err = nil
		s.decoder = xml.NewDecoder(strings.NewReader(""))
	}
}

// readRow reads the cells of a row whose element has begun.
func (s *sheetXML) readRow() {
	s.cells = s.cells[:0]
	column := 0
	in := ""
	for {
		token, err := s.decoder.Token()
		if err != nil {
			s.err = err
			return
		}
		switch e := token.(type) {
		case xml.StartElement:
			in = e.Name.Local
			switch in {
			case "c":
				column++
				if name := attribute(e, "r"); name != "" {
					if col, _, err := excelize.CellNameToCoordinates(name); err == nil {
						column = col
					}
				}
				s.cells = append(s.cells, cellXML{column: column, kind: attribute(e, "t")})
			case "f":
				if n := len(s.cells); n > 0 {
					s.cells[n-1].formula = true
				}
			}
		case xml.CharData:
			if n := len(s.cells); n > 0 && in == "v" {
				s.cells[n-1].value += string(e)
			}
		case xml.EndElement:
			if in = ""; e.Name.Local == "row" {
				return
			}
		}
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

// hides reports whether the columns of an element are not shown.
func hides(e xml.StartElement) bool {
	if hidden := attribute(e, "hidden"); hidden == "1" || hidden == "true" {
		return true
	}
	width, err := strconv.ParseFloat(attribute(e, "width"), 64)
	return err == nil && width == 0
}

// isHidden reports whether a column, counted from 1, is not shown. It is known
// once the first row was read.
func (s *sheetXML) isHidden(column int) bool {
	for _, h := range s.hidden {
		if h.left > 0 && column >= h.left && column <= h.right {
			return true
		}
	}
	return false
}

// whole reads a row's number; 0 where it is none.
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

// rangeOf reads a reference such as B2:D9.
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
