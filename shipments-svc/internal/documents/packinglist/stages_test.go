package packinglist

import (
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/reconcile"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// stages returns the table of a text, its mappings, and its lines with the first.
func stages(t *testing.T, text string) (layout.Table, []mapping.Mapping, *lines.List) {
	t.Helper()
	book, err := tables.Read(t.Context(), CSV, strings.NewReader(text), int64(len(text)))
	if err != nil {
		return layout.Table{}, nil, nil
	}
	parts, err := layout.Of(book)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if p.Headed {
			proposals := mapping.Of([]layout.Table{p}, nil)
			return p, proposals, lines.Read([]layout.Table{p}, proposals[0])
		}
	}
	return layout.Table{}, nil, nil
}

// FuzzStages: no text panics in a stage, and each line is a row of its table.
func FuzzStages(f *testing.F) {
	f.Add("Pallet;Cal;Boxes;Net kg\nP1;16;264;1056\n;18;60;240\nTotal;;324;1296")
	f.Add("Palet|12|14|16\n1|10|20|\n2||30|-5\nSuma|10|50|-5")
	f.Fuzz(func(t *testing.T, text string) {
		_, proposals, read := stages(t, text)
		for _, m := range proposals {
			for col := range m.Columns {
				if f, used := m.Used(col); used && m.At(f) != col {
					t.Errorf("%s is column %d and %d", f, m.At(f), col)
				}
			}
		}
		if read == nil {
			return
		}
		for _, line := range read.Lines {
			if line.Place.Row < 1 || line.Pallet.Value == "" {
				t.Errorf("%+v", line)
			}
		}
		if settled, err := reconcile.Settle(read); err == nil && len(settled.Lines) > 0 {
			settled.Check()
		}
	})
}
