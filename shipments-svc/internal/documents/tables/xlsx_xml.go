package tables

import (
	"encoding/xml"

	"github.com/xuri/excelize/v2"
)

// sheetXML is a sheet as it is stored. excelize does not give the kinds and stored numbers
// of cells without searching for each cell.
type sheetXML struct {
	Columns []struct {
		Min    int      `xml:"min,attr"`
		Max    int      `xml:"max,attr"`
		Hidden bool     `xml:"hidden,attr"`
		Width  *float64 `xml:"width,attr"` // in characters
	} `xml:"cols>col"`
	Rows   rowsXML `xml:"sheetData>row"`
	Merges []struct {
		Ref string `xml:"ref,attr"`
	} `xml:"mergeCells>mergeCell"`
}

// rowsXML reads rows one by one: a sheet may have many.
type rowsXML struct {
	read  func(*rowXML) error
	cells int // of the row before
}

// UnmarshalXML implements xml.Unmarshaler.
func (r *rowsXML) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	row := rowXML{Cells: make([]cellXML, 0, r.cells)}
	if err := d.DecodeElement(&row, &start); err != nil {
		return err
	}
	r.cells = len(row.Cells)
	return r.read(&row)
}

// rowXML is a stored row.
type rowXML struct {
	Number int       `xml:"r,attr"` // 0: that after the row before
	Hidden bool      `xml:"hidden,attr"`
	Height *float64  `xml:"ht,attr"` // in points
	Cells  []cellXML `xml:"c"`
}

// cellXML is a stored cell.
type cellXML struct {
	Ref     string     `xml:"r,attr"` // empty: that after the cell before
	Kind    string     `xml:"t,attr"` // empty or "n": a number
	Style   int        `xml:"s,attr"`
	Value   string     `xml:"v"`
	Inline  *stringXML `xml:"is"`
	Formula *struct{}  `xml:"f"`
}

// stringXML is a string of a workbook, shared or in its cell.
type stringXML struct {
	Text string `xml:"t"`
	Runs []struct {
		Text   string `xml:"t"`
		Strike *struct {
			Value string `xml:"val,attr"`
		} `xml:"rPr>strike"`
		Align struct {
			Value string `xml:"val,attr"`
		} `xml:"rPr>vertAlign"`
	} `xml:"r"`
}

// partOf parses a part of a workbook. One that is missing is empty.
func partOf(f *excelize.File, name string, into any) error {
	content, _ := f.Pkg.Load(name)
	part, _ := content.([]byte)
	if len(part) == 0 {
		return nil
	}
	return xml.Unmarshal(part, into)
}

// isHidden reports whether a column is hidden, or too narrow to be seen.
func (s *sheetXML) isHidden(column int) bool {
	const narrowest = 0.1
	for _, c := range s.Columns {
		if column >= c.Min && column <= c.Max && (c.Hidden || c.Width != nil && *c.Width < narrowest) {
			return true
		}
	}
	return false
}

// isHidden reports whether a row is hidden, or too low to be seen.
func (r *rowXML) isHidden() bool {
	const lowest = 3
	return r.Hidden || r.Height != nil && *r.Height < lowest
}
