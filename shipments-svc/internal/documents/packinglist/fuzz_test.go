package packinglist

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// FuzzRead: no content panics, pallets keep the domain's limits and have a place,
// and a reading survives encoding as JSON.
func FuzzRead(f *testing.F) {
	lists, _ := filepath.Glob("testdata/lists/*.csv")
	exporters, err := filepath.Glob("testdata/exporters/*.txt")
	if err != nil || lists == nil || exporters == nil {
		f.Fatalf("no lists: %v", err)
	}
	for _, file := range slices.Concat(lists, exporters) {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if archive := txtar.Parse(content); len(archive.Files) > 0 {
			content = archive.Files[0].Data // of a workbook or a page as well, which is a text with bars
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if _, err := factsOf(t.Context(), CSV, content); err != nil &&
			!unreadable(err) {
			t.Fatal(err)
		}
		read, err := readAs(t.Context(), CSV, content)
		if err != nil {
			if !unreadable(err) {
				t.Fatal(err)
			}
			return
		}
		if len(read.Pallets) == 0 || len(read.Pallets) > list.MaxPallets || read.RowsRead == 0 ||
			len(read.Mappings) == 0 || read.RowsRead > list.MaxLines || len(read.Facts) > list.MaxFacts ||
			len(read.Remarks) > list.MaxRemarks {
			t.Errorf("%d pallets of %d rows, %d facts, %d remarks",
				len(read.Pallets), read.RowsRead, len(read.Facts), len(read.Remarks))
		}
		for _, p := range read.Pallets {
			limited(t, p)
		}
		again := shipments.Reading{}
		if text, err := json.Marshal(read); err != nil {
			t.Error(err)
		} else if err := json.Unmarshal(text, &again); err != nil || formatted(again, nil) != formatted(read, nil) {
			t.Errorf("another list after JSON: %v", err)
		}
	})
}

func unreadable(err error) bool {
	_, ok := errors.AsType[*Unreadable](err)
	return ok
}

// bounded fails for a pallet outside the domain's limits or without a place.
func limited(t *testing.T, p shipments.Pallet) {
	t.Helper()
	for _, v := range []struct {
		text  string
		limit int
	}{{p.Number, list.MaxPalletNumber}, {p.ProduceName, list.MaxProduceName}, {p.Calibre, list.MaxCalibre}} {
		if utf8.RuneCountInString(v.text) > v.limit || !utf8.ValidString(v.text) {
			t.Errorf("%q", v.text)
		}
	}
	if p.Number == "" || p.Source.Row == 0 || p.Boxes < 0 || p.Boxes > list.MaxBoxes || p.BoxWeight < 0 ||
		p.BoxWeight > list.MaxBoxWeight {
		t.Errorf("%+v", p)
	}
	boxes := p.Boxes
	if p.Contents != nil {
		boxes = 0
	}
	for _, c := range p.Contents {
		if boxes += c.Boxes; c.Row == 0 || c.BoxWeight < 0 || c.BoxWeight > list.MaxBoxWeight {
			t.Errorf("%+v", c)
		}
	}
	if p.Boxes > 0 && boxes != p.Boxes {
		t.Errorf("%d boxes in the lines of %+v", boxes, p)
	}
}
