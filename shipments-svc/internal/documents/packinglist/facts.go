package packinglist

import (
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// ReadFacts reads the facts of a document that is not a packing list: a
// certificate, an invoice, a bill of lading. There may be none. It returns
// Unreadable for content that cannot be read; other errors are those of ctx and
// content.
func ReadFacts(ctx context.Context, kind Kind, content io.ReaderAt, size int64) (shipments.Reading, error) {
	book, err := tables.Read(ctx, kind, content, size)
	if err != nil {
		return shipments.Reading{}, err
	}
	r := newReader(ctx, book)
	for _, t := range book.Tables {
		for i := range t.Rows {
			if err := ctx.Err(); err != nil {
				return shipments.Reading{}, err
			}
			r.facts(t, i, true)
		}
		r.list.RowsRead += len(t.Rows)
	}
	r.list.Remarks = r.remarks()
	return r.list, nil
}

// containerText matches a container number within a text (ISO 6346).
var containerText = regexp.MustCompile(`\b[A-Z]{3}[UJZ][ -]?\d{6}[ -]?\d\b`)

// facts reads the facts of a row: after a colon, or in the cell on the right of a
// label. With downwards also below a label, as in forms and tables of invoices.
func (r *reader) facts(t tables.Table, i int, downwards bool) {
	row := t.Rows[i]
	cells := filled(row)
	for n, col := range cells {
		text := row.Cells[col].Text
		at := Place{Sheet: t.Name, Row: row.Number, Column: col + 1}
		for _, found := range containerText.FindAllString(text, -1) {
			r.addFact(shipments.ContainerFact, found, at)
		}
		for _, found := range reference.Species(text) {
			r.addFact(shipments.ProduceFact, found, at)
		}
		if r.labelledFacts(text, at) || len(cells) == 1 && r.totalFacts(text, at) {
			continue
		}
		kind, ok := factKindOf(strings.TrimRight(text, " :"))
		if !ok {
			continue
		}
		if n+1 < len(cells) && r.addValue(kind, row.Cells[cells[n+1]].Text, Place{Sheet: t.Name, Row: row.Number, Column: cells[n+1] + 1}) {
			continue
		}
		if downwards {
			r.factsBelow(kind, t, i, col)
		}
	}
}

// labelledFacts reads the facts of a text such as "Vessel: MSC Carmen Seal: 91". It
// returns false if there are none.
func (r *reader) labelledFacts(text string, at Place) bool {
	type label struct {
		kind       shipments.FactKind
		begin, end int
	}
	var labels []label
	for i, c := range text {
		if c != ':' && c != '=' {
			continue
		}
		begin := 0
		if n := len(labels); n > 0 {
			begin = labels[n-1].end
		}
		words := strings.Fields(text[begin:i])
		for skip := max(0, len(words)-longestLabel); skip < len(words); skip++ {
			name := strings.Join(words[skip:], " ")
			if kind, ok := factKindOf(name); ok {
				labels = append(labels, label{kind, begin + strings.LastIndex(text[begin:i], words[skip]), i + 1})
				break
			}
		}
	}
	any := false
	for n, l := range labels {
		end := len(text)
		if n+1 < len(labels) {
			end = max(labels[n+1].begin, l.end)
		}
		any = r.addValue(l.kind, text[l.end:end], at) || any
	}
	return any
}

// totalFacts reads the totals of a text that has no other words: "260 cartons on 4
// pallets", "Total colis 260". It returns false if there are none.
func (r *reader) totalFacts(text string, at Place) bool {
	if things, only := countedIn(text); only && things > 0 && len(countText.FindAllString(text, -1)) == things {
		r.countFacts(text, at)
		return true
	}
	kind, value, ok := labelled(text)
	return ok && slices.Contains(counts, kind) && strings.IndexFunc(value, unicode.IsDigit) == 0 && r.addValue(kind, value, at)
}

// countedIn returns how many words of a text name boxes or pallets, and whether it has
// no others but those of a total.
func countedIn(text string) (things int, only bool) {
	only = true
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) }) {
		of, unknown := conceptsOf(word)
		only = only && unknown == nil && of&^(totalWord|boxWord|palletWord|palletsWord) == 0
		if of&^totalWord != 0 {
			things++
		}
	}
	return things, only
}

// countText matches a count within a text: "20 pallets".
var countText = regexp.MustCompile(`(\d[\d.,]*)\s+(\pL+)`)

// countFacts adds the counts of pallets and boxes within a text.
func (r *reader) countFacts(text string, at Place) {
	for _, m := range countText.FindAllStringSubmatch(text, -1) {
		switch concepts, _ := conceptsOf(m[2]); {
		case concepts&(palletsWord|palletWord) != 0:
			r.addFact(shipments.PalletsFact, m[1], at)
		case concepts&boxWord != 0:
			r.addFact(shipments.BoxesFact, m[1], at)
		}
	}
}

// factsBelow reads the value below a label; of produce, all values.
func (r *reader) factsBelow(kind shipments.FactKind, t tables.Table, i, col int) {
	for next := i + 1; next < len(t.Rows) && t.Rows[next].Number-t.Rows[next-1].Number == 1; next++ {
		cells := t.Rows[next].Cells
		if col >= len(cells) || cells[col].Text == "" || cells[col].Merged ||
			next > i+1 && len(cells[col].Text) > shipments.MaxProduceName/2 ||
			!r.addValue(kind, cells[col].Text, Place{Sheet: t.Name, Row: t.Rows[next].Number, Column: col + 1}) || kind != shipments.ProduceFact {
			return
		}
	}
}

// counts are the kinds of facts that are numbers.
var counts = []shipments.FactKind{shipments.PalletsFact, shipments.BoxesFact, shipments.NetWeightFact, shipments.GrossWeightFact}

// numbered are the kinds of facts that contain a digit.
var numbered = append([]shipments.FactKind{
	shipments.ContainerFact, shipments.SealFact, shipments.InvoiceFact, shipments.PhytoFact, shipments.BillOfLadingFact, shipments.VoyageFact, shipments.ReferenceFact,
}, counts...)

// numberSign matches a prefix of numbers.
var numberSign = regexp.MustCompile(`^(?i:no|nr|nº|n°|#)\s*[.:]\s*`)

// labelled returns the value of a text that begins with a label, and the kind of the
// label: "B/L No: 4711", "Voyage No. 413N".
func labelled(text string) (kind shipments.FactKind, value string, ok bool) {
	words := strings.Fields(text)
	for n := min(longestLabel, len(words)-1); n > 0; n-- {
		if kind, ok = factKindOf(strings.Join(words[:n], " ")); ok && (n > 1 || strings.HasSuffix(words[0], ":")) {
			return kind, strings.Trim(strings.Join(words[n:], " "), " :"), true
		}
	}
	return kind, "", false
}

// addValue adds a fact. It returns false for a text that cannot be its value.
func (r *reader) addValue(kind shipments.FactKind, text string, at Place) bool {
	text = strings.Trim(numberSign.ReplaceAllString(text, ""), " :;,|-–—")
	if other, rest, ok := labelled(text); ok && slices.Contains(numbered, kind) {
		if other != kind {
			return false
		}
		text = rest
	}
	n, number := numbers.Split(text)
	if of, unknown := conceptsOf(n.Unit); number && n.Unit != "" && unknown == nil && (kind == shipments.BoxesFact && of == boxWord || kind == shipments.PalletsFact && of&^palletWord == palletsWord) {
		r.addFact(kind, text, at)
		return true
	}
	if _, label := factKindOf(strings.TrimRight(text, " :")); text == "" || label || totals(fold(text)) {
		return false
	}
	if slices.Contains(numbered, kind) && !strings.ContainsFunc(text, unicode.IsDigit) {
		return false
	}
	if slices.Contains(counts, kind) && !number {
		return false
	}
	if kind == vesselAndVoyage {
		vessel, voyage, found := strings.Cut(text, "/")
		r.addFact(shipments.VesselFact, vessel, at)
		if found {
			r.addFact(shipments.VoyageFact, voyage, at)
		}
		return true
	}
	r.addFact(kind, text, at)
	return true
}

// addFact adds a fact once, up to the maximum.
func (r *reader) addFact(kind shipments.FactKind, text string, at Place) {
	text, _ = shortened(strings.Trim(text, " :;,|-–—"), shipments.MaxFactText)
	same := func(f shipments.Fact) bool { return f.Kind == kind && fold(f.Text) == fold(text) }
	if text != "" && len(r.list.Facts) < shipments.MaxFacts && !slices.ContainsFunc(r.list.Facts, same) {
		r.list.Facts = append(r.list.Facts, shipments.Fact{Kind: kind, Text: text, Place: placeOf(at)})
	}
}
