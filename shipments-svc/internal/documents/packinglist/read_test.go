package packinglist

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quayside/quayside/shipments-svc/internal/checks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

var update = flag.Bool("update", false, "write the golden files")

// TestPackingLists compares the collection of packing lists, and other documents, with golden files.
func TestPackingLists(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/[dl]*/*.*") // in documents and lists
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
			if kind := kindOf(file); strings.Contains(file, "/documents/") {
				golden(t, file+".golden", formatted(factsOf(t.Context(), kind, content)))
			} else {
				read, err := readAs(t.Context(), kind, content)
				golden(t, file+".golden", formatted(read, err)+checked(read, err))
			}
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
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// evidence is a shipment with this list only.
func evidence(read shipments.Reading, err error) shipments.Evidence {
	doc := shipments.Document{
		ID: shipments.DocumentID{1}, Type: shipments.PackingList, Status: shipments.Processed, RowsRead: read.RowsRead,
		PalletsExtracted: len(read.Pallets), Declared: read.Declared, Facts: read.Facts, Remarks: read.Remarks,
	}
	if unreadable, ok := errors.AsType[*Unreadable](err); ok {
		doc.Status, doc.Failure = shipments.Failed, shipments.Failure{Code: unreadable.Code, Detail: unreadable.Detail}
	}
	e := shipments.Evidence{Documents: []shipments.Document{doc}, Pallets: slices.Clone(read.Pallets)}
	for i := range e.Pallets {
		e.Pallets[i].Source.Document = doc.ID
	}
	return e
}

// checked formats the checks of a shipment with this list only; passed and skipped ones by name.
func checked(read shipments.Reading, err error) string {
	var b strings.Builder
	names := map[shipments.Result][]string{}
	for _, c := range checks.Run(evidence(read, err)) {
		if c.Result == shipments.Pass || c.Result == shipments.Skip {
			names[c.Result] = append(names[c.Result], c.Name)
			continue
		}
		details, _, _ := strings.Cut(c.Details, " Basis: ")
		fmt.Fprintf(&b, "%s %s: %s\n", c.Result, c.Name, details)
	}
	passed, skipped := strings.Join(names[shipments.Pass], ", "), strings.Join(names[shipments.Skip], ", ")
	return fmt.Sprintf("\n%spass: %s\nskip: %s\n", b.String(), passed, skipped)
}

// formatted formats a reading.
func formatted(read shipments.Reading, err error) string {
	if bad, ok := errors.AsType[*Unreadable](err); ok {
		return fmt.Sprintf("unreadable %s at %s: %s\n", bad.Code, where(bad.Place), bad.Detail)
	} else if err != nil {
		return "error " + err.Error() + "\n"
	}
	var b strings.Builder
	d := read.Declared
	fmt.Fprintf(&b, "rows read %d, declared pallets %d, boxes %d, net %d g, container %q\n\n",
		read.RowsRead, d.Pallets, d.Boxes, d.NetWeight, d.ContainerNumber)
	for _, f := range read.Facts {
		fmt.Fprintf(&b, "fact %s: %s (%s)\n", f.Kind, f.Text, where(f.Place))
	}
	for _, p := range read.Pallets {
		fmt.Fprintf(&b, "pallet %s: %s, calibre %s, %d boxes of %d g (%s %s %s %s %s)\n",
			p.Number, p.ProduceName, p.Calibre, p.Boxes, p.BoxWeight, where(begin(p)),
			valueAt(p, p.Places.ProduceName, p.ProduceName != ""), valueAt(p, p.Places.Calibre, p.Calibre != ""),
			valueAt(p, p.Places.Boxes, p.Boxes > 0), valueAt(p, p.Places.BoxWeight, p.BoxWeight > 0))
		if text := also(p.Particulars); text != "" && len(p.Contents) != 1 {
			b.WriteString("   " + text + "\n")
		}
		for _, c := range p.Contents {
			fmt.Fprintf(&b, "    %s, calibre %s, %d boxes of %d g (%s)%s\n",
				c.ProduceName, c.Calibre, c.Boxes, c.BoxWeight, where(c.Place), also(c.Particulars))
		}
	}
	for _, r := range read.Remarks {
		fmt.Fprintf(&b, "remark %s: %s (%s)\n", r.Code, r.Text, where(r.Place))
	}
	return b.String()
}

// also formats what a list says beside the five fields of a pallet.
func also(p list.Particulars) string {
	if p == (list.Particulars{}) {
		return ""
	}
	text, _ := json.Marshal(p)
	return " " + string(text)
}

// begin is where a pallet begins.
func begin(p shipments.Pallet) list.Place {
	return list.Place{Sheet: p.Source.Sheet, Row: p.Source.Row}
}

// valueAt formats where a value of a pallet was read.
func valueAt(p shipments.Pallet, at list.Place, present bool) string {
	if present && at == (list.Place{}) {
		at = begin(p)
	}
	return where(at)
}

// where formats the row of a place: Sheet1!7.
func where(p list.Place) string {
	text := ""
	if p.Sheet != "" {
		text = p.Sheet + "!"
	}
	if p.Row > 0 {
		return text + fmt.Sprint(p.Row)
	}
	return text + "-"
}
