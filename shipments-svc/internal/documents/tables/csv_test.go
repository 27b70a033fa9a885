package tables

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/unicode"
)

// TestDirectionMarksAreRemoved: texts have no bidirectional control characters.
func TestDirectionMarksAreRemoved(t *testing.T) {
	t.Parallel()
	for r := range strings.SplitSeq("\u061c \u200e \u200f \u202a \u202b \u202c \u202d \u202e \u2066 \u2067 \u2068 "+
		"\u2069", " ") {
		if got, _ := clean("12" + r + "34"); got != "12 34" {
			t.Errorf("%q", got)
		}
		b := &book{}
		b.table("Sheet" + r)
		b.note(NoteHiddenSheet, "the sheet A"+r, Place{Sheet: r + "A"})
		if b.Tables[0].Name != "Sheet" || b.Notes[0].Text != "the sheet A" || b.Notes[0].Place.Sheet != "A" {
			t.Errorf("%+v", b)
		}
	}
}

// rowsOf reads a document and formats its rows and notes.
func rowsOf(t *testing.T, kind Kind, content []byte) string {
	t.Helper()
	book, err := Read(t.Context(), kind, bytes.NewReader(content), int64(len(content)))
	if unreadable, ok := errors.AsType[*Unreadable](err); ok {
		return unreadable.Code
	} else if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, table := range book.Tables {
		for _, row := range table.Rows {
			var cells []string
			for _, c := range row.Cells {
				cells = append(cells, c.Text)
			}
			fmt.Fprintf(&b, "%s%d[%s]", table.Name, row.Number, strings.Join(cells, "·"))
		}
	}
	for _, n := range book.Notes {
		fmt.Fprintf(&b, " %s@%d", n.Code, n.Place.Row)
	}
	return b.String()
}

func TestCSVVariants(t *testing.T) {
	t.Parallel()
	utf16 := func(order unicode.Endianness, bom unicode.BOMPolicy, text string) string {
		encoded, err := unicode.UTF16(order, bom).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	const wide = "pallet;boxes;kg\n1;264;4,5\n"
	const read = "1[pallet·boxes·kg]2[1·264·4,5]"
	for name, c := range map[string]struct{ content, want string }{
		"commas":                     {"a,b,c\n1,2,3\n", "1[a·b·c]2[1·2·3]"},
		"semicolons, decimal commas": {wide, read},
		"tabs":                       {"a\tb\tc\n1,5\t2,5\t3,5", "1[a·b·c]2[1,5·2,5·3,5]"},
		"bars":                       {"a|b|c\r\n1|2|3\r\n", "1[a·b·c]2[1·2·3]"},
		"letterhead of another width": {
			"ACME, Ltd, Cape Town\n\nx;y;z\n1;2;3\n4;5;6\n",
			"1[ACME, Ltd, Cape Town]3[x·y·z]4[1·2·3]5[4·5·6]",
		},
		"named delimiter":             {"sep=;\na;b\n1,1;2,2\n", "2[a·b]3[1,1·2,2]"},
		"named delimiter alone":       {"sep=;", ""},
		"named delimiter, CRLF":       {"sep=|\r\na|b,c\r\n", "2[a·b,c]"},
		"a text that is no name":      {"sep=;x\na;b\n", "1[sep=·x]2[a·b]"},
		"blank rows are no sample":    {"a;b;c,d,e\nx,y,z\n \n\n;\n", "1[a·b·c,d,e]2[x,y,z]"},
		"a line of another delimiter": {"x;y;z\n" + strings.Repeat("a,b,c\n", 2), "1[x;y;z]2[a·b·c]3[a·b·c]"},
		"two zero bytes": {strings.Repeat("a,b,c\n", 40) + "\x00\x00", strings.Join(numbered(40, "[a·b·c]"),
			"")},
		"line break in quotes":       {"a,\"net\nweight\",c\n1,2,3\n", "1[a·net weight·c]2[1·2·3]"},
		"doubled quotation marks":    {"a,\"6\"\" box\",c\n", "1[a·6\" box·c]"},
		"quotation mark within":      {"a,6\" box,c\n1,2,3\n", "1[a·6\" box·c]2[1·2·3]"},
		"text after quotes":          {"a,\"b\"b,c\n", "1[a·bb·c] quotes_unbalanced@1"},
		"space before quotes":        {"a,  \"b,c\",d\n1,2,3\n", "1[a·b,c·d]2[1·2·3]"},
		"a single column":            {"a\nb\n", "1[a]2[b]"},
		"quotes never closed":        {"a,\"b,c\n1,2,3\n", "1[a·b·c]2[1·2·3] quotes_unbalanced@1"},
		"old line ends":              {"a,b,c\r1,2,3\r", "1[a·b·c]2[1·2·3]"},
		"empty rows count":           {"a,b,c\n\n,,\n1,2,3", "1[a·b·c]4[1·2·3]"},
		"UTF-8 with mark":            {"\xEF\xBB\xBFpalé,b,c\n", "1[palé·b·c]"},
		"UTF-16 little endian, mark": {utf16(unicode.LittleEndian, unicode.UseBOM, wide), read},
		"UTF-16 big endian, mark":    {utf16(unicode.BigEndian, unicode.UseBOM, wide), read},
		"Windows-1252":               {"Cami\xF3n,\x80,c\n", "1[Camión·€·c] encoding_assumed@0"},
		"invisible characters":       {"a\u200B,\u00A0b\u00A0 b ,\tc\n", "1[a·b b·c]"},
		"a picture":                  {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01\x02\x03\x04", WrongEncoding},
		"nothing":                    {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, rowsOf(t, CSV, []byte(c.content))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// numbered returns n texts after their numbers from 1.
func numbered(n int, text string) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint(i+1, text))
	}
	return all
}

func TestCSVOfTooManyRowsIsRefused(t *testing.T) {
	t.Parallel()
	if got := rowsOf(t, CSV, []byte(strings.Repeat("1,2,3\n", MaxRows+1))); got != TooManyRows {
		t.Errorf("got %.100s", got)
	}
}

func TestCSVOfTooManyCellsIsRefused(t *testing.T) {
	t.Parallel()
	if got := rowsOf(t, CSV, []byte(strings.Repeat(strings.Repeat("1,", MaxColumns)+"1\n",
		MaxCells/MaxColumns+1))); got != TooLarge {
		t.Errorf("got %.100s", got)
	}
}
