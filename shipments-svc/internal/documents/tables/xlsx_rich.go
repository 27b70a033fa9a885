package tables

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// richText is a string of a workbook, of which some runs may be struck through or superscript.
type richText struct {
	text   string // without struck runs, unless there is no other; superscript numbers are footnote marks
	struck bool
}

// stringsOf returns the shared strings of a workbook by index.
func stringsOf(part []byte) (all []richText, err error) {
	decoder := xml.NewDecoder(bytes.NewReader(part))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "si" {
			var s stringXML
			if err := decoder.DecodeElement(&s, &start); err != nil {
				return nil, err
			}
			all = append(all, s.rich())
		}
	}
}

// stringXML is a string of a workbook, shared or in its cell.
type stringXML struct {
	Text string   `xml:"t"`
	Runs []runXML `xml:"r"`
}

// escapedText matches a character that XML cannot have: _x000D_.
var escapedText = regexp.MustCompile(`_x([0-9A-Fa-f]{4})_`)

// rich returns the text of a string.
func (s stringXML) rich() richText {
	rich := joinedRuns(s.Runs)
	rich.text = s.Text + rich.text
	if strings.Contains(rich.text, "_x") {
		rich.text = escapedText.ReplaceAllStringFunc(rich.text, func(code string) string {
			text, err := strconv.Unquote(`"\u` + code[2:6] + `"`)
			if err != nil {
				return code // half a character
			}
			return text
		})
	}
	return rich
}

// runXML is a run of a string.
type runXML struct {
	Text   string `xml:"t"`
	Strike *struct {
		Value string `xml:"val,attr"`
	} `xml:"rPr>strike"`
	Align struct {
		Value string `xml:"val,attr"`
	} `xml:"rPr>vertAlign"`
}

// joinedRuns joins runs.
func joinedRuns(runs []runXML) (rich richText) {
	var kept, struck strings.Builder
	for _, r := range runs {
		number := strings.Trim(r.Text, "0123456789 ") == "" && kept.Len() > 0 &&
			unicode.IsDigit(rune(kept.String()[kept.Len()-1]))
		switch {
		case r.Strike != nil && r.Strike.Value != "0" && r.Strike.Value != "false":
			rich.struck = true
			struck.WriteString(r.Text)
		case r.Align.Value == "superscript" && number:
			kept.WriteString("*")
		default:
			kept.WriteString(r.Text)
		}
	}
	if rich.text = kept.String(); strings.TrimSpace(rich.text) == "" {
		rich.text = struck.String()
	}
	return rich
}
