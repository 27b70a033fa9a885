package tables

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// element is an element of a part of a workbook.
type element struct {
	xml.StartElement
	text string // directly within it
}

// attribute returns the value of an attribute; empty: there is none.
func (e element) attribute(name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// number returns a number in an attribute; 0: there is none.
func (e element) number(name string) int {
	n, _ := strconv.Atoi(cmp.Or(e.attribute(name), "0")) // an error would take time
	return n
}

// hidden reports whether a row or column is, or has no size.
func (e element) hidden(size string) bool {
	state := e.attribute("hidden")
	return state == "1" || state == "true" || e.attribute(size) == "0"
}

// errDamaged is the error of a part that is no XML, or has cells that cannot be.
var errDamaged = unreadable(Malformed, "the contents of the workbook are damaged")

// elements calls visit at the end of each element of a part of a workbook. Decoding a sheet into
// structs takes twice as long.
func elements(part []byte, visit func(e, parent element) error) error {
	d := xml.NewDecoder(bytes.NewReader(part))
	path := []element{{}}
	for {
		token, err := d.RawToken()
		last := len(path) - 1
		switch t := token.(type) {
		case xml.StartElement:
			path = append(path, element{StartElement: t})
		case xml.CharData:
			path[last].text += string(t)
		case xml.EndElement:
			if last == 0 || t.Name != path[last].Name {
				return errDamaged
			}
			if err := visit(path[last], path[last-1]); err != nil {
				return err
			}
			path = path[:last]
		}
		if errors.Is(err, io.EOF) && last == 0 {
			return nil
		} else if err != nil {
			return errDamaged
		}
	}
}

// escape matches a character that XML cannot have in a string of a workbook (ECMA-376, 22.9.2.19).
var escape = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// unescaped returns a string of a workbook with its escaped characters.
func unescaped(text string) string {
	return escape.ReplaceAllStringFunc(text, func(code string) string {
		unit, _ := strconv.ParseUint(code[2:6], 16, 16) // matches
		return string(rune(unit))
	})
}

// richText is the text of a string of a workbook, shared or in its cell.
type richText struct {
	kept, struck string
	isStruck     bool // the run is
}

// visit adds the text of an element.
func (s *richText) visit(e, parent element) {
	switch {
	case e.Name.Local == "r":
		s.isStruck = false
	case e.Name.Local == "strike":
		s.isStruck = e.attribute("val") != "0" && e.attribute("val") != "false"
	case e.Name.Local != "t" || parent.Name.Local == "rPh": // how it is pronounced
	case s.isStruck:
		s.struck += unescaped(e.text)
	default:
		s.kept += unescaped(e.text)
	}
}

// text returns a text without struck runs, unless there is no other, and whether it has one.
func (s *richText) text() (_ string, hasStruck bool) {
	return cmp.Or(strings.TrimSpace(s.kept), s.struck), s.struck != ""
}
