package layout

import (
	"maps"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// worth is the score of a field for a row being the header.
var worth = map[vocabulary.Field]int{
	vocabulary.PalletNumber: 4, vocabulary.SSCC: 4, vocabulary.Boxes: 3, vocabulary.BoxWeight: 3, vocabulary.NetWeight: 3,
	vocabulary.GrossWeight: 2, vocabulary.AnyWeight: 2, vocabulary.Calibre: 2, vocabulary.Pieces: 1, vocabulary.Produce: 2,
	vocabulary.Variety: 2, vocabulary.Pack: 1, vocabulary.Lot: 1, vocabulary.Orchard: 1, vocabulary.PUC: 1,
	vocabulary.PHC: 1,
	vocabulary.GGN: 1, vocabulary.Grower: 1, vocabulary.PalletCount: 1, vocabulary.Carton: 1,
}

// header is the header of a table.
type header struct {
	from, to int
	kind     shipments.Layout
	texts    []string // of each column, with its group headings
	means    []vocabulary.Meaning
	folded   []string                 // the texts, to be compared
	rows     []tables.Row             // that it was made of
	columns  map[vocabulary.Field]int // the best column of each field
	score    int
	cartons  bool // each row is a box, with a number of its own
	known    memo
}

// maxHeaderRow is how deep below the top of a table its header may be, and
// maxHeaderRows how many rows it may have.
const (
	maxHeaderRow  = 200
	maxHeaderRows = 3
)

// headersOf returns the headers that a table may have: one to maxHeaderRows rows that name
// the pallet and a number of boxes or a weight. The first is the one whose headings have
// the highest score; the others mean something else.
func headersOf(rows []tables.Row) (all []header) {
	means := memo{}
	captions := HasCaptions(rows)
	for from := range min(len(rows), maxHeaderRow) {
		for n := 1; n <= maxHeaderRows && from+n <= len(rows); n++ {
			last := rows[from+n-1]
			if captions && PalletCaption(last) != nil ||
				n > 1 && (last.Number-rows[from].Number >= maxHeaderRows || title(rows[from])) {
				break
			}
			for _, spread := range []bool{false, true} {
				h := means.parse(rows[from:from+n], spread)
				h.from, h.to = from, from+n
				h.resolve(rows[h.to:])
				if h.complete(captions) {
					all = append(all, h)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b header) int { return b.score - a.score })
	kept := all[:0]
	for _, h := range all {
		known := func(o header) bool { return o.kind == h.kind && maps.Equal(o.columns, h.columns) }
		if len(kept) < maxWays && h.score*3 >= all[0].score*2 && !slices.ContainsFunc(kept, known) {
			for _, text := range h.texts {
				h.folded = append(h.folded, vocabulary.Fold(text))
			}
			kept = append(kept, h)
		}
	}
	return kept
}

// title reports whether a row has a single text, in its first column.
func title(row tables.Row) bool {
	cells := Filled(row)
	return len(cells) == 1 && cells[0] == 0
}

// memo keeps the meanings of headings.
type memo map[[2]string]vocabulary.Meaning

func (k memo) under(above, own string) vocabulary.Meaning {
	m, ok := k[[2]string{above, own}]
	if !ok {
		m = vocabulary.MeaningUnder(above, own)
		k[[2]string{above, own}] = m
	}
	return m
}

// parse parses rows as a header. With spread, a group heading also applies
// to the empty cells on its right.
func (k memo) parse(rows []tables.Row, spread bool) header {
	h := header{rows: rows, kind: shipments.LinesLayout, known: k}
	var above, own []string // of each column: its lowest text, and the texts above
	for i, row := range rows {
		group := ""
		for col := range max(len(own), len(row.Cells)) {
			text := ""
			if col < len(row.Cells) {
				text = row.Cells[col].Text
			}
			if col == len(own) {
				own, above = append(own, ""), append(above, "")
			}
			if text != "" {
				group = text
			} else if spread && i < len(rows)-1 && col < len(row.Cells)+maxHeaderRows {
				text = group
			}
			if text != "" && text != own[col] {
				above[col], own[col] = strings.TrimSpace(above[col]+" "+own[col]), text
			}
		}
	}
	for col := range own {
		h.texts = append(h.texts, strings.TrimSpace(above[col]+" "+own[col]))
		h.means = append(h.means, k.under(above[col], own[col]))
	}
	h.assign()
	sizes := h.sizes(own)
	for _, row := range rows {
		h.score -= numbersIn(row)
	}
	if len(sizes) > 0 && h.has(vocabulary.PalletNumber) {
		h.score += 2*len(sizes) + worth[vocabulary.Boxes]
		h.columns[sizeColumns] = sizes[0]
	}
	h.score -= len(rows) - 1
	return h
}

// sizeColumns stands for the columns of a matrix.
const sizeColumns vocabulary.Field = "sizes"

// assign maps each field to the column whose heading names it best, the first of
// several.
func (h *header) assign() {
	h.columns = map[vocabulary.Field]int{}
	for col, m := range h.means {
		if best, ok := h.columns[m.Field]; m.Field != vocabulary.None && (!ok || m.Score > h.means[best].Score) {
			h.columns[m.Field] = col
		}
	}
	for f, col := range h.columns {
		h.score += worth[f]
		if worth[f] > 0 && h.means[col].Score < vocabulary.Clear {
			h.score -= 2
		}
	}
}

// resolve decides by the rows below. A column of pallets or of tags is the pallet number, if
// there is no other and its values are unique labels, or 1, 2, 3 …, rather than counts. Consecutive numbers
// under a heading that is not clear are those of boxes.
func (h *header) resolve(rows []tables.Row) {
	if col, ok := h.columns[vocabulary.Line]; ok && !h.has(vocabulary.Produce) && !h.has(vocabulary.Variety) &&
		hasWords(rows, col) {
		h.means[col] = vocabulary.Meaning{Field: vocabulary.Produce, Score: vocabulary.Clear, Rule: "item-words"}
		delete(h.columns, vocabulary.Line)
		h.columns[vocabulary.Produce] = col
		h.score += worth[vocabulary.Produce]
	}
	if col, ok := h.columns[vocabulary.Boxes]; ok && (h.means[col].Score < 0.95 || vocabulary.Singular(h.texts[col])) &&
		enumerates(rows, col) {
		delete(h.columns, vocabulary.Boxes)
		h.means[col] = vocabulary.Meaning{
			Field: vocabulary.Carton, Resembles: vocabulary.Boxes, Reason: "it is the number of a box", Rule: "consecutive",
		}
		h.columns[vocabulary.Carton] = col
		h.score -= worth[vocabulary.Boxes]
	}
	if col, ok := h.columns[vocabulary.Carton]; ok && (h.has(vocabulary.PalletNumber) || h.has(vocabulary.SSCC)) {
		pallet, ok := h.columns[vocabulary.PalletNumber]
		if !ok {
			pallet = h.columns[vocabulary.SSCC]
		}
		h.cartons = cartons(rows, pallet, col)
	}
	boxes, counted := h.columns[vocabulary.Boxes]
	plain := !slices.ContainsFunc(h.rows, func(row tables.Row) bool { return numbersIn(row) > 0 })
	for col, m := range h.means { // Line: "Tag no."
		counts := m.Field == vocabulary.PalletCount
		unknown := m.Field == vocabulary.None && h.texts[col] != "" && counted && col < boxes && plain
		if (counts || unknown || m.Field == vocabulary.Line && plain) && !h.has(vocabulary.PalletNumber) &&
			!h.has(vocabulary.SSCC) &&
			(labels(rows, col) || counts && enumerates(rows, col)) {
			h.means[col].Field, h.means[col].Rule = vocabulary.PalletNumber, "unique-labels"
			delete(h.columns, m.Field)
			h.columns[vocabulary.PalletNumber] = col
			h.score += worth[vocabulary.PalletNumber]
			if unknown {
				h.means[col].Score = unheaded
				h.score -= 2
			}
		}
	}
}

// unheaded is the score of a column of labels without a known heading.
const unheaded = 0.5

// cartons reports whether each row is a box: its numbers are unique, and pallets have
// several.
func cartons(rows []tables.Row, pallet, col int) bool {
	const several = 2
	boxes, pallets := map[string]bool{}, map[string]bool{}
	for _, row := range rows {
		if max(col, pallet) >= len(row.Cells) || row.Cells[col].Text == "" || row.Cells[pallet].Text == "" {
			continue
		}
		if boxes[row.Cells[col].Text] {
			return false
		}
		boxes[row.Cells[col].Text] = true
		pallets[row.Cells[pallet].Text] = true
	}
	return len(boxes) >= several*max(1, len(pallets))
}

// hasWords reports whether a column has texts without numbers on full rows.
func hasWords(rows []tables.Row, col int) bool {
	words, others := 0, 0
	for _, row := range rows {
		if col >= len(row.Cells) || len(Filled(row)) < 3 || row.Cells[col].Text == "" {
			continue
		}
		if strings.ContainsFunc(row.Cells[col].Text, isDigit) {
			others++
		} else {
			words++
		}
	}
	return words > others
}

// labels reports whether the values of a column are labels rather than counts: unique, or
// the same on few lines below each other.
func labels(rows []tables.Row, col int) bool {
	seen, ranges, digits, last, all := map[string]bool{}, false, true, "", 0
	for _, row := range rows {
		if col >= len(row.Cells) || row.Cells[col].Text == "" || !IsFull(row) || IsTotal(row) {
			continue
		}
		text := row.Cells[col].Text
		ranges = ranges || numbers.SpanOf(text).Pallets() > 1
		if v, ok := plainNumber(text); seen[text] && text != last ||
			ok && v < shipments.MaxPallets/100 && !strings.HasPrefix(text, "0") && !ranges {
			return false
		}
		seen[text] = true
		digits = digits && strings.ContainsFunc(text, isDigit)
		last, all = text, all+1
	}
	return len(seen) > 1 && digits && len(seen)*2 > all
}

// enumerates reports whether the numbers of a column are consecutive, also from 0 or
// 1 again.
func enumerates(rows []tables.Row, col int) bool {
	longest, n, first, last := 0, 0, 0.0, 0.0
	for _, row := range rows {
		if col >= len(row.Cells) || IsTotal(row) {
			continue
		}
		switch v, ok := plainNumber(row.Cells[col].Text); {
		case !ok:
		case longest == 0:
			longest, n, first, last = 1, 1, v, v
		case v == last+1:
			n, last = n+1, v
			longest = max(longest, n)
		case v == first && v <= 1:
			n, last = 1, v
		default:
			return false
		}
	}
	return longest > 2
}

func (h header) has(f vocabulary.Field) bool { _, ok := h.columns[f]; return ok }

// complete reports whether the header names the pallet and an amount, and sets its kind.
// The pallets of blocks are named above their lines.
func (h *header) complete(captions bool) bool {
	pallet := h.has(vocabulary.PalletNumber) || h.has(vocabulary.SSCC)
	boxes := h.has(vocabulary.Boxes) || h.has(sizeColumns)
	amount := boxes || h.has(vocabulary.NetWeight) || h.has(vocabulary.BoxWeight) || h.has(vocabulary.AnyWeight) ||
		h.has(vocabulary.GrossWeight)
	switch {
	case h.score <= 0:
		return false
	case pallet && !boxes && h.cartons:
		h.kind = shipments.CartonsLayout
		return true
	case !pallet && captions && boxes && (h.has(vocabulary.Calibre) || h.has(vocabulary.Variety) ||
		h.has(vocabulary.Produce)):
		h.kind = shipments.BlocksLayout
		return true
	}
	return pallet && amount
}

// headings returns the headings of the columns.
func (h header) headings() []Heading {
	all := make([]Heading, len(h.texts))
	for i := range all {
		all[i] = Heading{Text: h.texts[i], Meaning: h.means[i]}
	}
	return all
}
