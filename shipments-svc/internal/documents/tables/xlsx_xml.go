package tables

import (
	"bytes"
	"errors"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/xml"
)

// element is an element of a part of a workbook.
type element struct {
	name, text string // the text is that directly before its end
	attributes [][2]string
}

// attribute returns the value of an attribute; empty: there is none.
func (e element) attribute(name string) string {
	for _, a := range e.attributes {
		if a[0] == name {
			return a[1]
		}
	}
	return ""
}

// number returns a number in an attribute; 0: there is none.
func (e element) number(name string) int {
	n, _ := strconv.Atoi(e.attribute(name))
	return n
}

// errDamaged is the error of a part that is no XML, or has cells that cannot be.
var errDamaged = unreadable(Malformed, "the contents of the workbook are damaged")

// elements calls visit at the end of each element of a part of a workbook. encoding/xml takes several
// times as long, and a sheet may be large.
func elements(part []byte, visit func(e, parent element) error) error {
	l := xml.NewLexer(parse.NewInputBytes(part))
	path := []element{{}}
	local := func(name []byte) string { return string(name[bytes.IndexByte(name, ':')+1:]) }
	for {
		kind, _ := l.Next()
		last := len(path) - 1
		e := &path[last]
		switch kind {
		case xml.ErrorToken:
			if !errors.Is(l.Err(), io.EOF) || last > 0 {
				return errDamaged
			}
			return nil
		case xml.StartTagToken:
			path = append(path, element{name: local(l.Text())})
		case xml.AttributeToken:
			value := html.UnescapeString(strings.Trim(string(l.AttrVal()), `"'`))
			e.attributes = append(e.attributes, [2]string{string(l.Text()), value})
		case xml.TextToken:
			e.text += html.UnescapeString(string(l.Text()))
		case xml.CDATAToken:
			e.text += string(l.Text())
		case xml.StartTagCloseVoidToken, xml.EndTagToken:
			if last == 0 || kind == xml.EndTagToken && local(l.Text()) != e.name {
				return errDamaged
			}
			if err := visit(*e, path[last-1]); err != nil {
				return err
			}
			path = path[:last]
		case xml.CommentToken, xml.DOCTYPEToken, xml.StartTagPIToken, xml.StartTagClosePIToken, xml.StartTagCloseToken:
		}
	}
}

// richText is the text of a string of a workbook, shared or in its cell.
type richText struct {
	kept, struck string
	isStruck     bool // the run is
}

// visit adds the text of an element.
func (s *richText) visit(e, parent element) {
	switch {
	case e.name == "r":
		s.isStruck = false
	case e.name == "strike":
		s.isStruck = e.attribute("val") != "0" && e.attribute("val") != "false"
	case e.name != "t" || parent.name == "rPh": // how it is pronounced
	case s.isStruck:
		s.struck += e.text
	default:
		s.kept += e.text
	}
}

// text returns a text without struck runs, unless there is no other, and whether it has one.
func (s *richText) text() (_ string, hasStruck bool) {
	if strings.TrimSpace(s.kept) == "" {
		return s.struck, s.struck != ""
	}
	return strings.ReplaceAll(s.kept, "_x000D_", "\r"), s.struck != ""
}
