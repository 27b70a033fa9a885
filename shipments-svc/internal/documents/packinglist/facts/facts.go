// Package facts reads what documents say of a shipment as a whole: vessel, container, seal, totals.
package facts

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
)

// List is the facts of a document.
type List struct {
	All    []list.Fact
	stated []stated // what may be totals; nil for packing lists, where all are facts
}

// Row reads the facts of a row: of its labels, and the totals in its texts. In documents that are not packing lists
// the value may also stand below a label, as in forms and tables of invoices.
func (l *List) Row(t tables.Table, i int) {
	row, at := t.Rows[i], tables.Place{Sheet: t.Name, Row: t.Rows[i].Number}
	cells, read := layout.Filled(row), map[int]bool{}
	labels := layout.LabelsOf(row)
	for _, col := range cells {
		for _, found := range layout.Containers(row, col, labels) {
			if l.stated == nil || !layout.NamesOther(above(t, i, col)) {
				l.addFact(list.ContainerFact, found, at, named)
			}
		}
		species, _ := reference.Species(row.Cells[col].Text)
		for _, found := range species {
			l.addFact(list.ProduceFact, found, at, named)
		}
	}
	for _, label := range labels {
		if kind, ok := vocabulary.FactKind(label.Name); ok && l.addValue(kind, label.Value, at, rankOf(label.Name, named)) {
			read[label.From], read[label.Col] = true, true
		}
	}
	for _, col := range cells {
		text := row.Cells[col].Text
		if read[col] || l.totalFacts(row, col, at) || l.stated == nil {
			continue
		}
		switch kind, ok := vocabulary.FactKind(strings.TrimRight(text, " :")); {
		case ok && slices.Contains(counts, kind):
			l.column(kind, t, i, col)
		case ok:
			l.factsBelow(kind, t, i, col)
		}
	}
}

// above returns the text of the cell above another.
func above(t tables.Table, i, col int) string {
	if i == 0 || t.Rows[i].Number-t.Rows[i-1].Number > 1 || col >= len(t.Rows[i-1].Cells) {
		return ""
	}
	return strings.TrimRight(t.Rows[i-1].Cells[col].Text, " :")
}

// totalFacts reads the totals of a text that has no other words: "16 pallets", or, alone in its
// row, "260 cartons on 4 pallets", "Total colis 260". It returns false if there are none.
func (l *List) totalFacts(row tables.Row, col int, at tables.Place) bool {
	text := row.Cells[col].Text
	found, only := countsIn(text)
	single := len(layout.Filled(row)) == 1 && !strings.Contains(text, "=")
	if only && (len(found) == 1 && unicode.IsDigit(rune(text[0])) || found != nil && single) {
		for _, f := range found {
			l.addFact(f.Kind, f.Text, at, rankIn(row, alone))
		}
		return true
	}
	kind, value, ok := labelled(text)
	return ok && single && slices.Contains(counts, kind) && strings.IndexFunc(value, unicode.IsDigit) == 0 &&
		l.addValue(kind, value, at, rankOf(text, named))
}

// countText matches a word, and a count before it: "20 pallets".
var countText = regexp.MustCompile(`(?:(\d[\d.,]*)\s+)?(\pL+)`)

// countsIn returns the counts of pallets and boxes in a text, and whether it has no other words but those of a total.
func countsIn(text string) (found []list.Fact, only bool) {
	only = true
	for _, m := range countText.FindAllStringSubmatch(text, -1) {
		of, unknown := vocabulary.Of(m[2])
		things := of & (vocabulary.Box | vocabulary.Pallet | vocabulary.Pallets)
		only = only && unknown == nil && of&^(vocabulary.Total|things) == 0 && (things == 0 || m[1] != "")
		kind := list.PalletsFact
		if things == vocabulary.Box {
			kind = list.BoxesFact
		}
		if things != 0 && m[1] != "" {
			found = append(found, list.Fact{Kind: kind, Text: m[1]})
		}
	}
	return found, only
}

// factsBelow reads the value below a label; of produce, all values.
func (l *List) factsBelow(kind list.FactKind, t tables.Table, i, col int) {
	for next := i + 1; next < len(t.Rows) && t.Rows[next].Number-t.Rows[next-1].Number == 1; next++ {
		cells, at := t.Rows[next].Cells, tables.Place{Sheet: t.Name, Row: t.Rows[next].Number, Column: col + 1}
		if col >= len(cells) || cells[col].Text == "" || cells[col].Merged {
			return
		}
		sentence := next > i+1 && len(cells[col].Text) > list.MaxProduceName/2
		if sentence || !l.addValue(kind, cells[col].Text, at, named) || kind != list.ProduceFact {
			return
		}
	}
}

// counts are the kinds of facts that are numbers.
var counts = []list.FactKind{list.PalletsFact, list.BoxesFact, list.NetWeightFact, list.GrossWeightFact}

// numbered are the kinds of facts that contain a digit.
var numbered = append([]list.FactKind{
	list.ContainerFact, list.SealFact, list.InvoiceFact, list.PhytoFact, list.BillOfLadingFact,
	list.VoyageFact, list.ReferenceFact,
}, counts...)

// numberSign matches a prefix of numbers.
var numberSign = regexp.MustCompile(`^(?i:no|nr|nº|n°|#)\s*[.:]\s*`)

// labelled returns the value of a text that begins with a label, and its kind: "B/L No: 4711", "Voyage No. 413N".
func labelled(text string) (kind list.FactKind, value string, ok bool) {
	words := strings.Fields(text)
	for n := min(vocabulary.LongestLabel(), len(words)-1); n > 0; n-- {
		kind, ok = vocabulary.FactKind(strings.Join(words[:n], " "))
		if ok && (n > 1 || strings.HasSuffix(words[0], ":")) {
			return kind, strings.Trim(strings.Join(words[n:], " "), " :"), true
		}
	}
	return kind, "", false
}

// addValue adds a fact. It returns false for a text that cannot be its value.
func (l *List) addValue(kind list.FactKind, text string, at tables.Place, r rank) bool {
	text = strings.Trim(numberSign.ReplaceAllString(text, ""), " :;,|-–—")
	if other, rest, ok := labelled(text); ok && slices.Contains(numbered, kind) {
		if other != kind {
			return false
		}
		text = rest
	}
	n, number := numbers.Split(text)
	counting := slices.Contains(counts, kind)
	counted := counting && countOf(kind, text)
	_, label := vocabulary.FactKind(strings.TrimRight(text, " :"))
	switch {
	case counted:
	case text == "" || label || vocabulary.IsTotal(vocabulary.Fold(text)),
		slices.Contains(numbered, kind) && !strings.ContainsFunc(text, unicode.IsDigit),
		counting && (!number || !isWeight(kind) && numbers.Grams[n.Unit] > 0):
		return false
	case kind == vocabulary.VesselAndVoyage:
		vessel, voyage, _ := strings.Cut(text, "/")
		l.addFact(list.VesselFact, vessel, at, r)
		l.addFact(list.VoyageFact, voyage, at, r)
		return true
	}
	l.addFact(kind, text, at, r)
	return true
}

func (l *List) addFact(kind list.FactKind, text string, at tables.Place, r rank) {
	text, _ = remarks.Shortened(strings.Trim(text, " :;,|-–—"), list.MaxFactText)
	fact := list.Fact{Kind: kind, Text: text, Place: at}
	if l.stated != nil && slices.Contains(counts, kind) {
		l.stated = append(l.stated, stated{fact, r})
		return
	}
	l.Add(fact)
}

// Add adds a fact once, up to the maximum.
func (l *List) Add(fact list.Fact) {
	same := func(f list.Fact) bool {
		return f.Kind == fact.Kind && vocabulary.Fold(f.Text) == vocabulary.Fold(fact.Text)
	}
	if fact.Text != "" && len(l.All) < list.MaxFacts && !slices.ContainsFunc(l.All, same) {
		l.All = append(l.All, fact)
	}
}

// Declared returns the totals that facts declare.
func (l *List) Declared() (d list.Declared) {
	for _, f := range l.All {
		v := totalOf(f.Text)
		switch {
		case f.Kind == list.ContainerFact && d.ContainerNumber == "":
			d.ContainerNumber, _ = remarks.Shortened(f.Text, list.MaxContainerNumber)
		case v < 1:
		case f.Kind == list.PalletsFact && d.Pallets == 0 && v <= list.MaxPallets:
			d.Pallets = int(v)
		case f.Kind == list.BoxesFact && d.Boxes == 0 && v <= list.MaxDeclaredBoxes:
			d.Boxes = int(v)
		case f.Kind == list.NetWeightFact && d.NetWeight == 0 && v*1000 <= float64(list.MaxDeclaredWeight):
			d.NetWeight = list.Grams(v*1000 + 0.5)
		}
	}
	return d
}

// Counts returns the totals within the texts of a row: "Total pallets: 20", "TOTAL 20 PALLETS".
func Counts(t tables.Table, i int) list.Declared {
	var l List
	l.Row(t, i)
	for _, col := range layout.Filled(t.Rows[i]) {
		found, _ := countsIn(t.Rows[i].Cells[col].Text)
		l.All = append(l.All, found...)
	}
	return l.Declared()
}

// Either returns the totals of a, those of b that a lacks, and the container of b.
func Either(a, b list.Declared) list.Declared {
	return list.Declared{
		Pallets: cmp.Or(a.Pallets, b.Pallets), Boxes: cmp.Or(a.Boxes, b.Boxes),
		NetWeight: cmp.Or(a.NetWeight, b.NetWeight), ContainerNumber: b.ContainerNumber,
	}
}

// totalOf returns the likelier value of a total, in kilograms if it is a weight, or 0.
func totalOf(text string) float64 {
	values := numbers.Readings(text)
	if _, ok := numbers.Split(text); !ok || values == nil {
		return 0
	}
	return values[0]
}
