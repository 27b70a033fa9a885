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
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// ReadFacts reads what a document says of the whole shipment: a certificate,
// an invoice, a bill of lading. One that says nothing has no facts. What
// cannot be read gives Unreadable; any other error is the context's or that of
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

// containerText is a container number in the midst of a text (ISO 6346).
var containerText = regexp.MustCompile(`\b[A-Z]{3}[UJZ][ -]?\d{6}[ -]?\d\b`)

// botanicalText is a name of genus and species in the midst of a text that
// names produce.
var botanicalText = regexp.MustCompile(`\b(?:Persea americana|Vitis vinifera|Citrus(?: ?[×x])? [a-z]+|Malus domestica|Pyrus communis|Prunus [a-z]+|Mangifera indica|Vaccinium [a-z]+)\b`)

// facts takes down what a row says of the shipment: after a colon, or in the
// cell to the right of a label. What stands below a label counts where
// downwards is true: in forms and in the tables of invoices.
func (r *reader) facts(t tables.Table, i int, downwards bool) {
	row := t.Rows[i]
	cells := filled(row)
	for n, col := range cells {
		text := row.Cells[col].Text
		at := Place{Sheet: t.Name, Row: row.Number, Column: col + 1}
		for _, found := range containerText.FindAllString(text, -1) {
			r.fact(shipments.ContainerFact, found, at)
		}
		for _, found := range botanicalText.FindAllString(text, -1) {
			r.fact(shipments.ProduceFact, found, at)
		}
		if r.pairs(text, at) {
			continue
		}
		kind, ok := factKindOf(strings.TrimRight(text, " :"))
		if !ok {
			continue
		}
		if n+1 < len(cells) && r.value(kind, row.Cells[cells[n+1]].Text, Place{Sheet: t.Name, Row: row.Number, Column: cells[n+1] + 1}) {
			continue
		}
		if downwards {
			r.below(kind, t, i, col)
		}
	}
}

// pairs takes down the facts of a text such as "Vessel: MSC Carmen Seal: 91".
// It returns false where the text has none.
func (r *reader) pairs(text string, at Place) bool {
	type label struct {
		kind       shipments.FactKind
		begin, end int
	}
	var labels []label
	for i, c := range text {
		if c != ':' {
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
		any = r.value(l.kind, text[l.end:end], at) || any
	}
	return any
}

// below takes down what stands below a label: of produce, all there is.
func (r *reader) below(kind shipments.FactKind, t tables.Table, i, col int) {
	for next := i + 1; next < len(t.Rows) && t.Rows[next].Number-t.Rows[next-1].Number == 1; next++ {
		cells := t.Rows[next].Cells
		if col >= len(cells) || cells[col].Text == "" || cells[col].Merged ||
			next > i+1 && len(cells[col].Text) > shipments.MaxProduceName/2 ||
			!r.value(kind, cells[col].Text, Place{Sheet: t.Name, Row: t.Rows[next].Number, Column: col + 1}) || kind != shipments.ProduceFact {
			return
		}
	}
}

// counts are the kinds whose facts are numbers.
var counts = []shipments.FactKind{shipments.PalletsFact, shipments.BoxesFact, shipments.NetWeightFact, shipments.GrossWeightFact}

// numbered are the kinds whose facts have a digit.
var numbered = append([]shipments.FactKind{
	shipments.ContainerFact, shipments.SealFact, shipments.InvoiceFact, shipments.PhytoFact, shipments.BillOfLadingFact, shipments.VoyageFact, shipments.ReferenceFact,
}, counts...)

// numberSign is what may stand before a number.
var numberSign = regexp.MustCompile(`^(?i:no|nr|nº|n°|#)\s*[.:]\s*`)

// value takes a fact down, unless its text cannot be one.
func (r *reader) value(kind shipments.FactKind, text string, at Place) bool {
	text = strings.Trim(numberSign.ReplaceAllString(text, ""), " :;,|-–—")
	if _, label := factKindOf(strings.TrimRight(text, " :")); text == "" || label || totals(fold(text)) {
		return false
	}
	if slices.Contains(numbered, kind) && !strings.ContainsFunc(text, unicode.IsDigit) {
		return false
	}
	if _, ok := numbers.Split(text); slices.Contains(counts, kind) && !ok {
		return false
	}
	if kind == vesselAndVoyage {
		vessel, voyage, found := strings.Cut(text, "/")
		r.fact(shipments.VesselFact, vessel, at)
		if found {
			r.fact(shipments.VoyageFact, voyage, at)
		}
		return true
	}
	r.fact(kind, text, at)
	return true
}

// fact adds a fact, once, unless there are too many.
func (r *reader) fact(kind shipments.FactKind, text string, at Place) {
	text, _ = shortened(strings.Trim(text, " :;,|-–—"), shipments.MaxFactText)
	same := func(f shipments.Fact) bool { return f.Kind == kind && fold(f.Text) == fold(text) }
	if text != "" && len(r.list.Facts) < shipments.MaxFacts && !slices.ContainsFunc(r.list.Facts, same) {
		r.list.Facts = append(r.list.Facts, shipments.Fact{Kind: kind, Text: text, Place: placeOf(at)})
	}
}
