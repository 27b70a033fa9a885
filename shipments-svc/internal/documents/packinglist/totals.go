package packinglist

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// total has the values of a total row.
type total struct {
	place       Place
	grand, part bool // of all lines, or of those since the previous total
	group       bool // of the lines since the previous total, by its boxes
	shipments.Declared
}

// Labels of total rows, folded.
//
//nolint:misspell // the words are of other languages, too
var (
	totalText = regexp.MustCompile(`\b(?:sub)?(?:totals?|totales|totaal|totale|totaux|totais|toplam)\b`)
	// onlyTotal matches labels of such words only, of which sumWord matches one.
	onlyTotal = regexp.MustCompile(`^(?:(?:grand|gran|general|genel|groot|geral|g|sub|sous|page|de|of|the|per|no|a|y|over|forward|sigue|totals?|totales|totaal|totale|totaux|totais|toplam|` +
		`anterior|previous|precedent|pallets?|palets?|palettes?|paletes?|folio|tot|subtot|suma|soma|somme|som|sum|subtotal|report|reporter|carried|brought|transporte|transportar|vortrag|ubertrag) ?)+$`)
	sumWord   = regexp.MustCompile(`\b(?:sub)?(?:tot|totals?|totales|totaal|totale|totaux|totais|toplam|suma|soma|somme|som|sum|report|reporter|carried|brought|transporte|transportar|vortrag|ubertrag)\b`)
	grandText = regexp.MustCompile(`\b(?:grand|gran|general|genel|groot|shipment|load|geral|g)\b`)
	partText  = regexp.MustCompile(`\b(?:sub|sous|page|pagina|bladsy|carried|brought|report|reporter|transporte|transportar|sigue|acumulado|anterior|previous|precedent|vortrag|ubertrag)\b|^subtot`)
)

// totals reports whether a folded text is the label of a total row.
func totals(text string) bool { return totalText.MatchString(text) || onlyTotals(text) }

func onlyTotals(text string) bool { return onlyTotal.MatchString(text) && sumWord.MatchString(text) }

// maxTotalText is the maximum length of the label of a total row.
const maxTotalText = 60

// total reads a total row. It returns false for other rows.
func (r *reader) total(s *sheet, i int) bool {
	label := ""
	own, _ := s.label(i)
	again := own.text != "" && len(r.lines) > 0 && r.lines[len(r.lines)-1].of(s, own.text) // the total of a pallet
	labelled := own.text != "" && !totals(fold(own.text))                                  // another cell may name a variety
	calibre, _ := s.text(i, calibreField)
	sized := calibre.text != "" && !totals(fold(calibre.text)) && (own.text == "" || labelled) // a total row has no calibre
	for n, col := range filled(s.Rows[i]) {
		if text := fold(s.Rows[i].Cells[col].Text); n < 3 && !sized && len(text) < maxTotalText && (totals(text) && (!labelled || again && r.repeatsBoxes(s, i, own.text)) || onlyTotals(text)) {
			label = text
			break
		}
	}
	if label == "" && !r.unlabelled(s, i) {
		return false
	}
	t := total{place: s.at(i, -1), grand: grandText.MatchString(label), part: again || partText.MatchString(label)}
	if a := r.amount(s, i, boxesField); a.ok {
		t.Boxes = int(a.value)
	}
	if a := r.amount(s, i, s.whole); a.ok && s.whole == netField {
		t.NetWeight = shipments.Grams(a.value + 0.5)
	}
	for _, f := range []field{palletsField, palletField} {
		c, _ := s.text(i, f)
		if n, ok := palletCount(c.text); ok && t.Pallets == 0 {
			t.Pallets = n
		}
	}
	t.texts(s, i)
	if t.group = t.Boxes > 0 && float64(t.Boxes) == s.since; !again {
		s.since = 0
	}
	if t.Boxes > 0 && float64(t.Boxes) == s.boxes { // the other totals of the sheet are part of it
		r.totals = slices.DeleteFunc(r.totals, func(other total) bool { return other.place.Sheet == s.Name })
		s.totalled = true
	}
	r.totals = append(r.totals, t)
	s.totalled = s.totalled || t.grand
	return true
}

// texts adds the totals within texts: "Total pallets: 20", "TOTAL 20 PALLETS".
func (t *total) texts(s *sheet, i int) {
	r := quietReader()
	r.facts(s.Table, i, false)
	for _, col := range filled(s.Rows[i]) {
		r.countFacts(s.Rows[i].Cells[col].Text, t.place)
	}
	t.Declared = either(t.Declared, r.declaredFacts())
}

// either returns the totals of a, those of b that a lacks, and the container of b.
func either(a, b shipments.Declared) shipments.Declared {
	return shipments.Declared{
		Pallets: cmp.Or(a.Pallets, b.Pallets), Boxes: cmp.Or(a.Boxes, b.Boxes), NetWeight: cmp.Or(a.NetWeight, b.NetWeight), ContainerNumber: b.ContainerNumber,
	}
}

// atMost returns a total, or 0 for one that is negative or more than the maximum.
func atMost[T ~int](n, most T) T {
	if n < 0 || n > most {
		return 0
	}
	return n
}

// unlabelled reports whether a row is a total row without a known label: it has no
// label, an unknown word or the number of pallets, otherwise amounts only, and the
// boxes of all lines above. Unlike all labels above, a word without a number is that
// of a total, too, if the row has amounts only or the boxes since the last total.
func (r *reader) unlabelled(s *sheet, i int) bool {
	boxes := quietAmount(s, i, boxesField)
	if r.unnumbered(s, i) && (!s.named(i) || boxes.value == s.boxes || boxes.value == s.since) {
		return true
	}
	if !boxes.ok || len(r.lines) < 2 || s.named(i) || s.boxes != boxes.value {
		return false
	}
	label, _ := s.label(i)
	return !s.numbered(i) || r.countsPallets(s, label.text) && !s.hasPalletAfter(i)
}

// unnumbered reports whether a row has boxes and a label without a digit, although the
// lines above, at least two, have labels with digits.
func (r *reader) unnumbered(s *sheet, i int) bool {
	label, merged := s.label(i)
	if label.text == "" || merged || s.numbered(i) || ditto(label.text) && s.since != quietAmount(s, i, boxesField).value {
		return false
	}
	for _, l := range r.lines[s.labels.lines:] {
		s.labels.add(l, s.Name)
	}
	return s.labels.several && !s.labels.words && quietAmount(s, i, boxesField).ok
}

// labels is what is known of the labels of the first lines.
type labels struct {
	lines   int    // the number of those lines
	first   string // the key of the first one
	several bool   // there are at least two
	words   bool   // one of the sheet has no digit
}

func (k *labels) add(l line, sheet string) {
	key := l.key()
	if k.lines == 0 {
		k.first = key
	}
	k.lines++
	k.several = k.several || key != k.first
	k.words = k.words || l.sheet == sheet && !strings.ContainsFunc(l.pallet.text, isDigit)
}

// hasPalletAfter reports whether a row after this one has a pallet number and boxes.
func (s *sheet) hasPalletAfter(i int) bool {
	for n := i + 1; n < len(s.Rows); n++ {
		if label, _ := s.label(n); label.text != "" && quietAmount(s, n, boxesField).ok {
			return true
		}
	}
	return false
}

// palletCount parses a number of pallets: "20", "20 pallets".
func palletCount(text string) (int, bool) {
	n, ok := numbers.Split(text)
	count, valid := numbers.Value(n.Digits, numbers.Point)
	concepts, unknown := conceptsOf(n.Unit)
	return int(count), ok && valid && count == float64(int(count)) && unknown == nil && concepts&^(palletWord|palletsWord) == 0
}

// countsPallets reports whether a text is the number of pallets above.
func (r *reader) countsPallets(s *sheet, text string) bool {
	count, ok := palletCount(text)
	keys := map[string]bool{}
	for _, l := range r.lines {
		if l.sheet == s.Name {
			keys[l.key()] = true
		}
	}
	return ok && count == len(keys)
}

// of reports whether a line is of a pallet of a sheet.
func (l line) of(s *sheet, pallet string) bool { return l.sheet == s.Name && l.pallet.text == pallet }

// repeatsBoxes reports whether the boxes of a row are those of a pallet, the last.
func (r *reader) repeatsBoxes(s *sheet, row int, pallet string) bool {
	sum := 0.0
	for i := len(r.lines) - 1; i >= 0 && r.lines[i].of(s, pallet); i-- {
		sum += r.lines[i].boxes.value
	}
	return quietAmount(s, row, boxesField).value == sum
}

// boxesOf returns the boxes of lines.
func boxesOf(lines []line) (sum float64) {
	for _, l := range lines {
		if l.boxes.ok {
			sum += l.boxes.value
		}
	}
	return sum
}

// dropRecapitulation drops the last lines of a sheet if they have no pallet numbers
// of their own, and as many boxes as all lines before, of several pallets.
func (r *reader) dropRecapitulation(first int) {
	lines := r.lines[first:]
	for n := len(lines) - 1; n > 1 && !lines[n].own; n-- {
		if boxes := boxesOf(lines[n:]); lines[n-1].key() != lines[0].key() && boxes > 0 && boxes == boxesOf(lines[:n]) {
			r.remark(TableSkipped, lines[n].place, "the last %d lines are part of a summary and were not used", len(lines)-n)
			r.lines = r.lines[:first+n]
			return
		}
	}
}

// setDeclared sets the declared totals: the grand total, or else the sum of the
// other totals.
func (r *reader) setDeclared() {
	var all total
	for _, t := range r.totals {
		switch {
		case t.grand:
			all = t
		case t.part || all.grand:
		case t.group, t.Boxes == all.Boxes && t.NetWeight == all.NetWeight, t.Boxes < all.Boxes:
			all.Pallets, all.Boxes, all.NetWeight = all.Pallets+t.Pallets, all.Boxes+t.Boxes, all.NetWeight+t.NetWeight
		default:
			all = t
		}
	}
	all.Pallets, all.Boxes = atMost(all.Pallets, shipments.MaxPallets), atMost(all.Boxes, shipments.MaxDeclaredBoxes)
	all.NetWeight = atMost(all.NetWeight, shipments.MaxDeclaredWeight)
	r.list.Declared = either(all.Declared, r.declaredFacts())
}
