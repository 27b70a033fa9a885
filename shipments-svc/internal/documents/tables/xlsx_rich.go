package tables

import (
	"bytes"
	"encoding/xml"
	"strings"
	"unicode"
)

// richText is a string of a workbook of which some runs are struck through or superscript.
type richText struct {
	text   string // without struck runs, unless there is no other; superscript numbers are footnote marks
	struck bool
}

// richTexts returns the shared ones of such strings by index. Damaged ones are left to excelize.
func richTexts(part []byte) map[int]richText {
	all := map[int]richText{}
	if !bytes.Contains(part, []byte("strike")) && !bytes.Contains(part, []byte("superscript")) {
		return all
	}
	decoder := xml.NewDecoder(bytes.NewReader(part))
	for i := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			return all
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "si" {
			var s stringXML
			if decoder.DecodeElement(&s, &start) != nil {
				return all
			}
			if rich, special := joinedRuns(s.Runs); special {
				all[i] = rich
			}
			i++
		}
	}
}

// stringXML is a string of a workbook, shared or in its cell.
type stringXML struct {
	Runs []runXML `xml:"r"`
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

// joinedRuns joins runs. special is false if none is struck through or superscript.
func joinedRuns(runs []runXML) (rich richText, special bool) {
	var kept, struck strings.Builder
	for _, r := range runs {
		number := strings.Trim(r.Text, "0123456789 ") == "" && kept.Len() > 0 && unicode.IsDigit(rune(kept.String()[kept.Len()-1]))
		switch {
		case r.Strike != nil && r.Strike.Value != "0" && r.Strike.Value != "false":
			rich.struck = true
			struck.WriteString(r.Text)
		case r.Align.Value == "superscript" && number:
			special = true
			kept.WriteString("*")
		default:
			kept.WriteString(r.Text)
		}
	}
	if rich.text = kept.String(); strings.TrimSpace(rich.text) == "" {
		rich.text = struck.String()
	}
	return rich, special || rich.struck
}
