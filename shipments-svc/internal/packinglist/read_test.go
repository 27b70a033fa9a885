package packinglist

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the lists are read as into their golden files")

// TestListsAreReadAsTheirGoldenFilesSay reads the collection of packing lists.
func TestListsAreReadAsTheirGoldenFilesSay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/lists/*.*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lists: %v", err)
	}
	for _, file := range files {
		if filepath.Ext(file) == ".golden" {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			list, err := Read(t.Context(), Kind(strings.TrimPrefix(filepath.Ext(file), ".")), bytes.NewReader(content), int64(len(content)))
			golden(t, file+".golden", told(list, err))
		})
	}
}

// TestPapersAreReadAsTheirGoldenFilesSay reads what is no packing list.
func TestPapersAreReadAsTheirGoldenFilesSay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/papers/*.*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no papers: %v", err)
	}
	for _, file := range files {
		if filepath.Ext(file) == ".golden" {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			paper, err := ReadFacts(t.Context(), Kind(strings.TrimPrefix(filepath.Ext(file), ".")), bytes.NewReader(content), int64(len(content)))
			golden(t, file+".golden", told(List{RowsRead: paper.RowsRead, Facts: paper.Facts, Remarks: paper.Remarks}, err))
		})
	}
}

// golden compares a text with a file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("not what %s says (-want +got):\n%s", file, diff)
	}
}

// told writes down what a list was read as.
func told(list List, err error) string {
	var b strings.Builder
	if unreadable, ok := errors.AsType[*Unreadable](err); ok {
		return fmt.Sprintf("unreadable %s at %s: %s\n", unreadable.Code, where(unreadable.Place), unreadable.Detail)
	} else if err != nil {
		return "error " + err.Error() + "\n"
	}
	d := list.Declared
	fmt.Fprintf(&b, "rows read %d, declared pallets %d, boxes %d, net %d g, container %q\n\n", list.RowsRead, d.Pallets, d.Boxes, d.NetWeight, d.ContainerNumber)
	for _, f := range list.Facts {
		fmt.Fprintf(&b, "fact %s: %s (%s)\n", f.Kind, f.Text, where(f.Place))
	}
	for _, p := range list.Pallets {
		fmt.Fprintf(&b, "pallet %s: %s, calibre %s, %d boxes of %d g (%s)\n", p.Number, p.ProduceName, p.Calibre, p.Boxes, p.BoxWeight,
			strings.Join([]string{where(p.At.Number), where(p.At.ProduceName), where(p.At.Calibre), where(p.At.Boxes), where(p.At.BoxWeight)}, " "))
		for _, c := range p.Contents {
			if len(p.Contents) > 1 || c.Lot != "" || c.Orchard != "" {
				fmt.Fprintf(&b, "    %s, calibre %s, lot %q, orchard %q, %d boxes of %d g (%s)\n", c.ProduceName, c.Calibre, c.Lot, c.Orchard, c.Boxes, c.BoxWeight, where(c.Place))
			}
		}
	}
	for _, r := range list.Remarks {
		fmt.Fprintf(&b, "remark %s: %s (%s)\n", r.Code, r.Text, where(r.Place))
	}
	return b.String()
}

// where writes a place as spreadsheets do: Sheet1!B7.
func where(p Place) string {
	text := ""
	if p.Sheet != "" {
		text = p.Sheet + "!"
	}
	if p.Column > 0 {
		text += string(rune('A' + (p.Column-1)%26))
	}
	if p.Row > 0 {
		return text + fmt.Sprint(p.Row)
	}
	return text + "-"
}
