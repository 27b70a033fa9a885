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

	"github.com/quayside/quayside/shipments-svc/internal/checks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
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
			golden(t, file+".golden", told(list, err)+judged(list, err))
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

// judged writes down what the checks say of a list that is all there is of a
// shipment; what is passed or skipped by name only.
func judged(list List, err error) string {
	doc := shipments.Document{ID: shipments.DocumentID{1}, Type: shipments.PackingList, Status: shipments.Processed, RowsRead: list.RowsRead, PalletsExtracted: len(list.Pallets), Declared: list.Declared}
	if unreadable, ok := errors.AsType[*Unreadable](err); ok {
		doc.Status, doc.Failure = shipments.Failed, shipments.Failure{Code: unreadable.Code, Detail: unreadable.Detail}
	}
	place := func(p Place) shipments.Place { return shipments.Place{Sheet: p.Sheet, Row: p.Row} }
	for _, f := range list.Facts {
		doc.Facts = append(doc.Facts, shipments.Fact{Kind: f.Kind, Text: f.Text, Place: place(f.Place)})
	}
	for _, r := range list.Remarks {
		doc.Remarks = append(doc.Remarks, shipments.Remark{Code: r.Code, Text: r.Text, Place: place(r.Place)})
	}
	e := shipments.Evidence{Documents: []shipments.Document{doc}}
	for _, p := range list.Pallets {
		pallet := shipments.Pallet{Number: p.Number, ProduceName: p.ProduceName, Calibre: p.Calibre, Boxes: p.Boxes, BoxWeight: p.BoxWeight}
		pallet.Source = shipments.Source{Document: doc.ID, Sheet: p.At.Number.Sheet, Row: p.At.Number.Row}
		for _, c := range p.Contents {
			if len(p.Contents) > 1 {
				pallet.Contents = append(pallet.Contents, shipments.Content{ProduceName: c.ProduceName, Calibre: c.Calibre, Boxes: c.Boxes, BoxWeight: c.BoxWeight, Place: place(c.Place)})
			}
		}
		e.Pallets = append(e.Pallets, pallet)
	}
	var b strings.Builder
	names := map[shipments.Result][]string{}
	for _, c := range checks.Run(e) {
		if c.Result == shipments.Pass || c.Result == shipments.Skip {
			names[c.Result] = append(names[c.Result], c.Name)
			continue
		}
		fmt.Fprintf(&b, "%s %s: %s\n", c.Result, c.Name, c.Details)
	}
	return fmt.Sprintf("\n%spass: %s\nskip: %s\n", b.String(), strings.Join(names[shipments.Pass], ", "), strings.Join(names[shipments.Skip], ", "))
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
