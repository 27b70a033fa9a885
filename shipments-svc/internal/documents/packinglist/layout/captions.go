package layout

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
)

// Text is a text and where it was read.
type Text struct {
	Value string
	Place tables.Place
}

// caption is a value that a row gives to the lines below: "Variety: Crimson Seedless".
type caption struct {
	Text
	from int  // the index of its row
	bare bool // without a label
}

// captioned are the fields of captions.
var captioned = []vocabulary.Field{
	vocabulary.PalletNumber, vocabulary.SSCC, vocabulary.Produce, vocabulary.Variety, vocabulary.Calibre,
	vocabulary.Lot, vocabulary.Orchard, vocabulary.PUC, vocabulary.PHC, vocabulary.GGN, vocabulary.Grower,
	vocabulary.Container, vocabulary.Seal, vocabulary.Packed, vocabulary.Harvested,
}

// field returns the field of a caption that a label names, or None.
func field(label string) vocabulary.Field {
	m := vocabulary.MeaningOf(label)
	if m.Score < vocabulary.Clear || !slices.Contains(captioned, m.Field) {
		return vocabulary.None
	}
	return m.Field
}

// Given returns the value that a caption gives to a field of a row, or an empty text.
func (t Table) Given(row int, f vocabulary.Field) Text {
	for _, c := range slices.Backward(t.given[f]) {
		if c.from <= row {
			return c.Text
		}
	}
	return Text{}
}

// Gives reports whether captions give a field.
func (t Table) Gives(f vocabulary.Field) bool { return t.given[f] != nil }

// give adds the value of a cell, from which the lines from a row on have it.
func (t *Table) give(f vocabulary.Field, text string, i, col int) {
	t.given[f] = append(t.given[f], caption{Text: Text{text, t.At(i, col)}, from: i})
}

// captioned returns the table with the captions of its lines, and those of the page before.
func (t Table) captioned() Table {
	before := t.given
	t.given, t.Captions, t.Repeats = map[vocabulary.Field][]caption{}, map[int]bool{}, map[int]bool{}
	for f, all := range before {
		last := all[len(all)-1]
		last.from = 0
		t.given[f] = []caption{last}
	}
	for i := range t.Rows {
		if i >= t.To && t.repeats(t.Rows[i]) {
			t.Repeats[i] = true
		} else if i < t.From || i >= t.To {
			t.Captions[i] = t.caption(i)
		}
	}
	for _, f := range nameFields {
		if all := t.given[f]; all != nil && !slices.ContainsFunc(t.Rows[all[0].from:], t.counts) {
			all[0].from = 0
		}
	}
	if !t.labelled() && t.Gives(vocabulary.PalletNumber) && t.Kind == list.LinesLayout {
		t.Kind = list.BlocksLayout
	}
	return t
}

// titled gives a table without a produce that of a title above it.
func (t *Table) titled() {
	if t.has(vocabulary.Produce) || t.Gives(vocabulary.Produce) {
		return
	}
	var commodity string
	var title Text
	for i, row := range t.Rows[:t.From] {
		for n, cells := 0, Filled(row); n < len(cells) && !t.Captions[i]; n++ {
			text := row.Cells[cells[n]].Text
			if strings.HasSuffix(text, ":") { // its value is no title: "Port: | Limón"
				n++
				continue
			}
			c, name := named(text)
			if c == "" {
				continue
			} else if commodity != "" && c != commodity {
				return
			}
			if commodity = c; len(name) > len(title.Value) {
				title = Text{name, t.At(i, cells[n])}
			}
		}
	}
	if title.Value != "" {
		t.given[vocabulary.Produce] = []caption{{Text: title}}
	}
}

// named returns the commodity that a text names, and the words for it and its variety.
func named(text string) (commodity, name string) {
	var found []string
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,;:/()-–", r) })
	folded := make([]string, len(words))
	for i, word := range words {
		folded[i] = vocabulary.Fold(word)
	}
	for i := 0; i < len(words); i++ {
		c, n := reference.CommodityOf(words[i]), reference.Variety(folded[i:])
		switch {
		case vocabulary.MeaningOf(words[i]).Field != vocabulary.None: // "Date: 12.11.2026"
		case c != "" && commodity != "" && c != commodity: // a company: "Melones y Uvas de Zacapa"
			return "", ""
		case c != "" || n > 0:
			commodity, n = cmp.Or(c, commodity), max(1, n)
			found = append(found, words[i:i+n]...)
			i += n - 1
		}
	}
	return commodity, strings.Join(found, " ")
}

// caption reads a row as captions. Of rows with few texts, those with a pallet number are lines.
func (t *Table) caption(i int) (found bool) {
	row := t.Rows[i]
	cells, labels := Worded(row), captionsIn(row)
	line := i >= t.To && (len(cells) > 3 || len(cells) > 1 && t.numbered(row))
	begins := (i >= t.To || i+1 == t.From && slices.ContainsFunc(t.Rows[t.To:], t.repeats)) &&
		slices.ContainsFunc(t.Rows[i+1:], t.counts)
	if len(cells) == 1 && (begins || isPallet(labels)) {
		if all := group(row.Cells[cells[0]].Text, cells[0]); len(all) > 1 || labels == nil {
			labels = all
		}
	}
	pallet := !t.labelled() && !t.has(vocabulary.PalletCount) && isPallet(labels)
	if len(cells) == 0 || line && !pallet || i >= t.To && IsTotal(row) {
		return false
	}
	for _, l := range labels {
		f := field(l.Name)
		name := slices.Contains(nameFields, f) && !wordText.MatchString(l.Value)
		if !name && (pallet || !slices.Contains(labelFields, f)) {
			t.give(f, l.Value, i, l.Col)
			found = true
		}
	}
	var containers []string
	for _, col := range cells {
		containers = append(containers, Containers(row, col, LabelsOf(row))...)
	}
	if len(containers) == 1 {
		t.give(vocabulary.Container, containers[0], i, cells[0])
		found = true
	}
	if found == (len(cells) > 1) {
		for _, col := range cells {
			if slices.ContainsFunc(labels, func(l Label) bool { return l.From == col || l.Col == col }) {
				continue
			}
			if f, text := t.bare(i, col); f != vocabulary.None {
				t.give(f, text, i, col)
				t.given[f][len(t.given[f])-1].bare = true
				found = true
			}
		}
	}
	return found
}

// group returns the labels of the parts of a text above its lines. The first, the one beside the
// pallet, or one with a commodity, may be a name: "Grower: J. Smit - LEMON Eureka - Size 48".
func group(text string, col int) (all []Label) {
	texts := parts.Split(text, -1)
	for i, part := range texts {
		c, _ := named(part)
		of, unknown := vocabulary.Of(part)
		words := strings.Fields(part)
		last := len(words) - 1
		bare := of == 0 || len(unknown) == len(words) // no words that are known
		produce := c != "" || reference.Variety(strings.Fields(vocabulary.Fold(part))) > 0
		found := inText(part)
		if name := strings.Join(words[:max(0, last)], " "); found == nil && produce && name != "" &&
			sizeText.MatchString(words[last]) { // "Paprika rood 70-90", "Conference maat 55-60"
			if field(words[last-1]) == vocabulary.Calibre {
				name = strings.Join(words[:last-1], " ")
			}
			found = []Label{
				{Name: string(vocabulary.Variety), Value: name}, {Name: string(vocabulary.Calibre), Value: words[last]},
			}
		} else if found == nil {
			found = unmarked(part)
		}
		switch {
		case found != nil:
		case len(texts) > 1 && (c != "" || bare && (i == 0 || isPallet(all))):
			found = []Label{{Name: string(vocabulary.Variety), Value: strings.TrimSpace(part)}}
		}
		for _, l := range found {
			if l.Col = col; field(l.Name) != vocabulary.None {
				all = append(all, l)
			}
		}
	}
	return all
}

// numbered reports whether a row has a pallet number, and not a label in its place.
func (t Table) numbered(row tables.Row) bool {
	return slices.ContainsFunc(labelFields, func(f vocabulary.Field) bool {
		col, ok := t.columns[f]
		return ok && col < len(row.Cells) && strings.ContainsFunc(row.Cells[col].Text, isDigit) &&
			inText(row.Cells[col].Text) == nil
	})
}

// wordText matches a word of a name, which "0.5 C" has not.
var wordText = regexp.MustCompile(`\pL{3}|^\p{Lu}+[ -]?\d`)

// count matches what follows the name of a group from a number on that counts something, or a pack:
// "YUCA - 10 PALLETS", "PEAS 10x150g", "GALA - 40 lb box (18 kg)".
var count = regexp.MustCompile(`\s*[-–—,(]\s*\d+\s+\pL+\b.*$|\s+\d+\s*x\s*\d+\s*k?g$`)

// bare returns the field of a text without a label above its lines, a variety or a calibre,
// if the table has no column for it: the row below is a line. Above a header that is repeated for
// each group it is the produce.
func (t Table) bare(i, col int) (f vocabulary.Field, text string) {
	const words = 4
	next, text := i+1, count.ReplaceAllString(t.Rows[i].Cells[col].Text, "")
	if next == t.From && slices.ContainsFunc(t.Rows[t.To:], t.repeats) {
		next = t.To
	} else if i >= t.To && next < len(t.Rows) && t.repeats(t.Rows[next]) {
		next++
	}
	follows := next < len(t.Rows) && t.Rows[next].Number-t.Rows[i].Number <= next-i &&
		(t.numbered(t.Rows[next]) || !t.labelled()) && t.counts(t.Rows[next])
	if i < t.To && next != t.To || !follows {
		return vocabulary.None, ""
	}
	f = vocabulary.Variety
	no := t.has(vocabulary.Variety) || // or it may be a part of a name above
		t.Printed && t.has(vocabulary.Produce) && !t.is(col, labelFields)
	c, _ := named(text)
	if strings.ContainsFunc(text, isDigit) || IsSize(text) {
		f, no = vocabulary.Calibre, t.has(vocabulary.Calibre)
	} else if next > i+1 {
		f, no = vocabulary.Produce, no || c == ""
	}
	first := !slices.ContainsFunc(t.given[f], func(c caption) bool { return c.bare })
	note := vocabulary.MeaningOf(text).Rule == "class" || len(strings.Fields(text)) > words
	sentence := strings.ContainsAny(text, ":;") || vocabulary.NotShipped.MatchString(vocabulary.Fold(text))
	if no || sentence || i > t.To && first || note && c == "" {
		return vocabulary.None, ""
	}
	return f, text
}

// isPallet reports whether labels are the caption of a pallet.
func isPallet(all []Label) bool {
	const words = 4
	return slices.ContainsFunc(all, func(l Label) bool {
		return slices.Contains(labelFields, field(l.Name)) && strings.ContainsFunc(l.Value, isDigit) &&
			len(strings.Fields(l.Value)) <= words
	})
}
