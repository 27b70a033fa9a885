package packinglist

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// FuzzRead: no content panics, pallets keep the domain's limits and have a place,
// and a reading survives encoding as JSON.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/lists/*.csv")
	if err != nil || files == nil {
		f.Fatalf("no lists: %v", err)
	}
	exporters, err := filepath.Glob("testdata/exporters/*.txt")
	if err != nil || exporters == nil {
		f.Fatalf("no lists: %v", err)
	}
	for _, file := range exporters {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if part := archive.Files[0]; filepath.Ext(part.Name) == ".csv" {
			f.Add(part.Data)
		}
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if _, err := factsOf(t.Context(), CSV, bytes.NewReader(content), int64(len(content))); err != nil &&
			!unreadable(err) {
			t.Fatal(err)
		}
		list, err := readAs(t.Context(), CSV, bytes.NewReader(content), int64(len(content)))
		if err != nil {
			if !unreadable(err) {
				t.Fatal(err)
			}
			return
		}
		if len(list.Pallets) == 0 || len(list.Pallets) > shipments.MaxPallets || list.RowsRead == 0 ||
			len(list.Mappings) == 0 ||
			list.RowsRead > shipments.MaxLines ||
			len(list.Facts) > shipments.MaxFacts ||
			len(list.Remarks) > shipments.MaxRemarks {
			t.Errorf(
				"%d pallets of %d rows, %d facts, %d remarks",
				len(list.Pallets),
				list.RowsRead,
				len(list.Facts),
				len(list.Remarks),
			)
		}
		for _, p := range list.Pallets {
			limited(t, p)
		}
		again := shipments.Reading{}
		if text, err := json.Marshal(list); err != nil {
			t.Error(err)
		} else if err := json.Unmarshal(text, &again); err != nil || formatted(again, nil) != formatted(list, nil) {
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
	}{{p.Number, shipments.MaxPalletNumber}, {p.ProduceName, shipments.MaxProduceName}, {
		p.Calibre,
		shipments.MaxCalibre,
	}} {
		if utf8.RuneCountInString(v.text) > v.limit || !utf8.ValidString(v.text) {
			t.Errorf("%q", v.text)
		}
	}
	if p.Number == "" || p.Source.Row == 0 || p.Boxes < 0 || p.Boxes > shipments.MaxBoxes || p.BoxWeight < 0 ||
		p.BoxWeight > shipments.MaxBoxWeight {
		t.Errorf("%+v", p)
	}
	boxes := p.Boxes
	if p.Contents != nil {
		boxes = 0
	}
	for _, c := range p.Contents {
		if boxes += c.Boxes; c.Row == 0 || c.BoxWeight < 0 || c.BoxWeight > shipments.MaxBoxWeight {
			t.Errorf("%+v", c)
		}
	}
	if p.Boxes > 0 && boxes != p.Boxes {
		t.Errorf("%d boxes in the lines of %+v", boxes, p)
	}
}
