package packinglist

import (
	"fmt"
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

// Each stage says what it understood of a list with a heading that is not known.
func TestStages(t *testing.T) {
	t.Parallel()
	table, proposals, _ := stages(t, "Pallet;Cal;Xqzt;Gross kg;Net kg\nP1;16;264;1150;1056\nP2;18;260;1133;1040\n"+
		"Recorder no. 7;P2;;;\nTotal;;524;2283;2096\n")
	var columns []string
	for _, c := range proposals[1].Columns {
		columns = append(columns, fmt.Sprintf("%s=%s(%s)", c.Text, c.Field, strings.Join(c.Steps.Rules(), " ")))
	}
	const want = "Pallet=pallet_number(pallet) Cal=calibre(calibre) Xqzt=boxes(arithmetic) " +
		"Gross kg=gross_weight(gross) Net kg=net_weight(net)"
	if got := strings.Join(columns, " "); got != want {
		t.Errorf("mapping: %s", got)
	}
	read := lines.Read([]layout.Table{table}, proposals[1])
	if l := read; len(l.Lines) != 2 || len(l.Totals) != 1 || l.Totals[0].Boxes != 524 || len(l.Skipped[0]) != 2 {
		t.Errorf("lines: %+v", l)
	}
	chosen, err := reconcile.Choose(proposals, []layout.Table{table})
	if err != nil || chosen.At("boxes") != 2 {
		t.Errorf("reconcile: %v %v", chosen.At("boxes"), err)
	}
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
