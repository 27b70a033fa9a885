package facts

import (
	"cmp"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Declared returns the totals that facts declare, with numbers of a style.
func (l *List) Declared(style numbers.Style) (d shipments.Declared) {
	within := func(v, limit float64) bool { return v >= 1 && v <= limit }
	for _, f := range l.All {
		v, numeric := totalOf(f.Text, style)
		switch f.Kind {
		case shipments.ContainerFact:
			if d.ContainerNumber == "" {
				d.ContainerNumber, _ = remarks.Shortened(f.Text, shipments.MaxContainerNumber)
			}
		case shipments.PalletsFact:
			if d.Pallets == 0 && numeric && within(v, shipments.MaxPallets) {
				d.Pallets = int(v)
			}
		case shipments.BoxesFact:
			if d.Boxes == 0 && numeric && within(v, shipments.MaxDeclaredBoxes) {
				d.Boxes = int(v)
			}
		case shipments.NetWeightFact:
			if v *= 1000; d.NetWeight == 0 && numeric && within(v, float64(shipments.MaxDeclaredWeight)) {
				d.NetWeight = shipments.Grams(v + 0.5)
			}
		default:
		}
	}
	return d
}

// Counts returns the totals within the texts of a row: "Total pallets: 20", "TOTAL 20
// PALLETS".
func Counts(t tables.Table, i int, style numbers.Style) shipments.Declared {
	var l List
	l.Row(t, i, false)
	for _, col := range layout.Filled(t.Rows[i]) {
		found, _ := countsIn(t.Rows[i].Cells[col].Text)
		l.All = append(l.All, found...)
	}
	return l.Declared(style)
}

// Either returns the totals of a, those of b that a lacks, and the container of b.
func Either(a, b shipments.Declared) shipments.Declared {
	return shipments.Declared{
		Pallets: cmp.Or(a.Pallets, b.Pallets), Boxes: cmp.Or(a.Boxes, b.Boxes), NetWeight: cmp.Or(a.NetWeight, b.NetWeight),
		ContainerNumber: b.ContainerNumber,
	}
}

// totalOf parses a total; a weight is in kilograms. An ambiguous number is read in
// the style of the list.
func totalOf(text string, style numbers.Style) (float64, bool) {
	n, ok := numbers.Split(text)
	values := numbers.Readings(text)
	if !ok || len(values) == 0 {
		return 0, false
	}
	if len(values) > 1 && style != numbers.Unclear {
		if v, _ := numbers.Value(n.Digits, style); values[1] == v*cmp.Or(numbers.Grams[n.Unit], 1000)/1000 {
			return values[1], true
		}
	}
	return values[0], true
}
