package tables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestNotesAreLimited(t *testing.T) {
	t.Parallel()
	b := new(book)
	for n := range maxNotes + 2 {
		b.note(NoteCut, fmt.Sprint(n), Place{})
	}
	if len(b.Notes) != maxNotes || b.Notes[maxNotes-1].Text != fmt.Sprint(maxNotes-1) {
		t.Errorf("%d notes, the last is %+v", len(b.Notes), b.Notes[len(b.Notes)-1])
	}
}

// Content that is too large is refused before it is read, and a shorter one than
// its size is an error of the content.
func TestSizeOfContentIsChecked(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{CSV, XLSX, PDF} {
		_, err := Read(t.Context(), kind, strings.NewReader(""), MaxUnpacked+1)
		if unreadable, ok := errors.AsType[*Unreadable](err); !ok || unreadable.Code != TooLarge {
			t.Errorf("%s: %v", kind, err)
		}
		if _, err := Read(t.Context(), kind, strings.NewReader("a,b,c"), 6); !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// ending is a context that is cancelled after it was asked left times.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// Reading ends with its context at whichever part, page or row it is.
func TestReadEndsWithItsContextAtEachRow(t *testing.T) {
	t.Parallel()
	for kind, content := range map[Kind][]byte{CSV: []byte("a,b,c\nd,e,f\n"), XLSX: manyRows(t, 2), PDF: paged(t, 2)} {
		asked := 0
		for ; asked < 100; asked++ {
			book, err := Read(&ending{t.Context(), asked}, kind, bytes.NewReader(content), int64(len(content)))
			if err == nil {
				rows := 0
				for _, table := range book.Tables {
					rows += len(table.Rows)
				}
				if rows != 2 {
					t.Errorf("%s, %d: %d rows", kind, asked, rows)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, %d: %v", kind, asked, err)
			}
		}
		if asked < 2 || asked == 100 { // it has two rows
			t.Errorf("%s was read although its context was asked %d times", kind, asked)
		}
	}
}

func TestQuotedFieldsMayBeEmpty(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"\"\",b,c\na,\"\",c\n": "1[·b·c]2[a··c]", "a,b,\"\"\"\"\n": "1[a·b·\"]",
		"a,b,\"c\"d\n":   "1[a·b·cd] quotes_unbalanced@1",
		"a,b, \"c,d\"\n": "1[a·b·c,d]",
	} {
		if got := rowsOf(t, CSV, []byte(content)); got != want {
			t.Errorf("%q: %s, want %s", content, got, want)
		}
	}
}

func TestWorkbooksThatCannotBeReadSayWhy(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		content []byte
		want    string
	}{
		"without a workbook": {zipped(t, map[string]string{"a.txt": "x"}), Malformed},
		"with damaged contents": {zipped(t, map[string]string{
			"[Content_Types].xml": "<Types",
			"xl/workbook.xml":     "<workbook",
		}), Malformed},
		"with a damaged row": {sheeted(t,
			`<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="2"><v>1</v></c></row>`, "", ""), Malformed},
		"with a damaged element": {sheeted(t, `<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>1</c></row>`,
			"", ""), Malformed},
	} {
		if got := rowsOf(t, XLSX, tt.content); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestMergedCellsKeepTheLimitOfCells(t *testing.T) {
	t.Parallel()
	for cells, want := range map[int]int{0: 4, MaxCells - 2: 3, MaxCells - 1: 2, MaxCells: 1} {
		b := &book{cells: cells, Book: Book{Tables: []Table{{Rows: []Row{{Number: 1, Cells: []Cell{{Text: "x"}}}}}}}}
		b.merge("A1:D1")
		if got := len(b.Tables[0].Rows[0].Cells); got != want {
			t.Errorf("of %d cells, a row has %d, want %d", cells, got, want)
		}
	}
}

func TestSpacingOfWordsAppliesToSpaces(t *testing.T) {
	t.Parallel()
	for operators, want := range map[string]string{
		"(ab cd) Tj": "ab cd", "20 Tw (ab cd) Tj": "ab·cd", "20 Tc (ab) Tj": "a·b", "20 Tw (ab) Tj (cd) Tj": "abcd",
	} {
		if got := rowsOf(t, PDF, printed("", []byte("BT /F1 8 Tf 50 700 Td "+operators+" ET"))); got != "page 11["+want+"]" {
			t.Errorf("%s: %s, want %s", operators, got, want)
		}
	}
}

func TestResourcesOfAPageAreInherited(t *testing.T) {
	t.Parallel()
	form := []byte("BT /F1 8 Tf 50 700 Td (Pallet) Tj ET")
	for name, tt := range map[string]struct{ entries, want string }{
		"own": {"", "page 11[Pallet]"}, "of its parent": {"/Resources 99 0 R/Parent 6 0 R", "page 11[Pallet]"},
		"none": {"/Resources 99 0 R", NoTextLayer},
	} {
		if got := rowsOf(t, PDF, printed(tt.entries, []byte("/X1 Do"),
			form)); got != tt.want { // the form has the same resources
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
