package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// amounts are the fields of which a table of lines has at least one.
var amounts = []vocabulary.Field{
	vocabulary.Boxes, vocabulary.NetWeight, vocabulary.BoxWeight, vocabulary.AnyWeight, vocabulary.GrossWeight,
}

// header is the header of a table.
type header struct {
	From, To int                      // indexes of its first row and of the row after the last; To is 0 without one
	Headings []Heading                // of each column
	top      []string                 // the text of each in its first row
	own      []string                 // the lowest text of each
	folded   []string                 // the texts, to be compared
	columns  map[vocabulary.Field]int // the best column of each field
	sizes    []int                    // the columns of calibres
	pairs    [][2]int                 // the columns whose cells have two values, and the first of those for them
	score    int
	second   *list.Rival // the rows that were nearest to being the header, too
	known    memo
}

// maxHeaderRow is how deep below the top of a table its header may be, and maxHeaderRows how many rows it may have.
const (
	maxHeaderRow  = 200
	maxHeaderRows = 3
)

// headerOf returns the header of a table: the rows with the highest score that name an amount and what it is of.
func headerOf(rows []tables.Row) (best header) {
	var second header
	means := memo{}
	for from := range min(len(rows), maxHeaderRow) {
		for n := 1; n <= maxHeaderRows && from+n <= len(rows); n++ {
			last := rows[from+n-1]
			if n > 1 && (last.Number-rows[from].Number >= maxHeaderRows || isTitle(rows[from]) || means.isBelow(last)) {
				break
			}
			h := means.parse(rows[from : from+n])
			h.From, h.To = from, from+n
			switch {
			case !h.complete():
			case h.score > best.score:
				if h.From != best.From || best.To == 0 {
					second = best
				}
				best = h
			case h.From != best.From && h.score > second.score:
				second = h
			}
		}
	}
	if second.To > 0 {
		best.second = &list.Rival{Where: tables.Place{Row: rows[second.From].Number}, Score: float64(second.score)}
	}
	for _, heading := range best.Headings {
		best.folded = append(best.folded, vocabulary.Fold(heading.Text))
	}
	return best
}

// isBelow reports whether a row is below a header rather than a part of it.
func (k memo) isBelow(row tables.Row) bool { return beginsGroup(row) || k.isLine(row) }

// isLine reports whether a row below a header is a line: it has numbers, and most of its texts are no headings.
func (k memo) isLine(row tables.Row) bool {
	const several = 2
	texts, unknown := 0, 0
	for _, col := range Worded(row) {
		text := row.Cells[col].Text
		if _, number := Number(row, col); number || IsSize(text) {
			continue
		}
		if texts++; k.under("", text).Field == vocabulary.None {
			unknown++
		}
	}
	return numbersIn(row) >= several && texts >= several && unknown*2 > texts
}

// isTitle reports whether a row above a header is none of it: its only text is in the first column, or has a value.
func isTitle(row tables.Row) bool {
	cells := Filled(row)
	return len(cells) == 1 && (cells[0] == 0 || inText(row.Cells[cells[0]].Text) != nil)
}

// beginsGroup reports whether a row below a header is the caption of lines: "CALIBRE 1X", "Variety Hass".
func beginsGroup(row tables.Row) bool {
	cells := Filled(row)
	if len(cells) == 1 && vocabulary.MeaningOf(row.Cells[cells[0]].Text).Unknown != nil {
		return true
	}
	labelled := len(cells) == 2 && field(row.Cells[cells[0]].Text) != vocabulary.None
	return labelled || len(cells) <= 2 && captionsIn(row) != nil
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

// parse parses rows as a header. A group heading also applies to the empty cells on its right.
func (k memo) parse(rows []tables.Row) header {
	h := header{known: k}
	var above []string // of each column: the texts above its lowest
	for i, row := range rows {
		group := ""
		for col := range max(len(h.own), len(row.Cells)) {
			text := ""
			if col < len(row.Cells) {
				text = row.Cells[col].Text
			}
			if col == len(h.own) {
				h.top, h.own, above = append(h.top, ""), append(h.own, ""), append(above, "")
			}
			if text != "" {
				if i == 0 && text != group && row.Cells[col].Merged { // its first row is above
					h.score--
				}
				group = text
			} else if i < len(rows)-1 && col < len(row.Cells)+maxHeaderRows {
				text = group
			}
			if i == 0 {
				h.top[col] = text
			}
			if text != "" && text != h.own[col] {
				above[col], h.own[col] = strings.TrimSpace(above[col]+" "+h.own[col]), text
			}
		}
		h.score -= numbersIn(row)
	}
	for col, own := range h.own {
		text := strings.TrimSpace(above[col] + " " + own)
		h.Headings = append(h.Headings, Heading{Text: text, Meaning: k.under(above[col], own)})
	}
	h.assign()
	if h.sizes = h.sizeColumns(); len(h.sizes) > 0 {
		h.score += 2*len(h.sizes) + vocabulary.Worth(vocabulary.Boxes)
	}
	h.score -= len(rows) - 1
	return h
}

// assign maps each field to the column whose heading names it best, the first of several.
func (h *header) assign() {
	h.columns = map[vocabulary.Field]int{}
	for col, heading := range h.Headings {
		m := heading.Meaning
		if best, ok := h.columns[m.Field]; m.Field != vocabulary.None && (!ok || m.Score > h.Headings[best].Meaning.Score) {
			h.columns[m.Field] = col
		}
	}
	for f := range h.columns {
		h.score += vocabulary.Worth(f)
	}
}

func (h header) has(f vocabulary.Field) bool { _, ok := h.columns[f]; return ok }

// labelled reports whether a heading names the pallet.
func (h header) labelled() bool { return h.has(vocabulary.PalletNumber) || h.has(vocabulary.SSCC) }

// complete reports whether the headings name an amount and something beside it.
func (h header) complete() bool {
	fields := 0
	for f := range h.columns {
		if vocabulary.Worth(f) > 0 {
			fields++
		}
	}
	if h.sizes != nil {
		fields++
	}
	counts := h.sizes != nil || slices.ContainsFunc(amounts, h.has) || h.labelled() && h.has(vocabulary.Carton)
	return h.score > 0 && counts && fields > 1
}

// repeats reports whether a row repeats most of the header, in its words or in another
// language. One with another heading or unit, "Net lb" below "Net kg", is another header.
func (h header) repeats(row tables.Row) bool {
	cells := Filled(row)
	differ, same := 0, 0
	for _, col := range cells {
		own := row.Cells[col].Text
		text := vocabulary.Fold(own)
		if col >= len(h.folded) || text == "" ||
			strings.ContainsFunc(text, isDigit) && !strings.Contains(h.folded[col], text) {
			if differ++; differ*3 > len(cells) {
				return false
			}
			continue
		}
		if !strings.Contains(h.folded[col], text) {
			m, above := h.known.under("", own), h.Headings[col].Meaning
			if m.Field == vocabulary.None || m.Field != above.Field || m.Reason != above.Reason {
				return false
			}
		}
		if unit := Unit(own); unit != 0 && unit != Unit(h.Headings[col].Text) {
			return false
		}
		same++
	}
	return same > 1
}

// cut returns the column at which another table begins on the right, whose headings repeat
// those of the first in these or other words, of several all but one, or 0.
func (h header) cut() int {
	const fewHeadings = 3
	var filled []int
	for col, text := range h.folded {
		if text != "" {
			filled = append(filled, col)
		}
	}
	same := func(a, b int) bool {
		f := h.Headings[a].Meaning.Field
		return h.folded[a] == h.folded[b] || f != vocabulary.None && f != vocabulary.Other && f == h.Headings[b].Meaning.Field
	}
	for n := 2; n < len(filled); n++ {
		left, right := filled[:n], filled[n:]
		m, equal := min(len(left), len(right)), 0
		for i := range m {
			if same(left[i], right[i]) {
				equal++
			}
		}
		if m > 1 && same(left[0], right[0]) && (equal == m || m > fewHeadings && equal == m-1) {
			return filled[n]
		}
	}
	return 0
}

// NoHeader returns the error of a document without a header row. It explains the row that is nearest to one.
func NoHeader(book tables.Book) error {
	bad := &tables.Unreadable{
		Code: "no_header_row", Detail: "no header row has a pallet number and a number of boxes or a weight",
	}
	most, found := 1, ""
	for _, t := range book.Tables {
		for _, row := range t.Rows[:min(len(t.Rows), maxHeaderRow)] {
			n, headings := 0, []string(nil)
			for _, col := range Filled(row) {
				m := vocabulary.MeaningOf(row.Cells[col].Text)
				if m.Field != vocabulary.None {
					n++
				}
				meaning := cmp.Or(m.Reason, m.Field.Name(), "not known")
				headings = append(headings, fmt.Sprintf("%q (%s)", row.Cells[col].Text, meaning))
			}
			if n > most && numbersIn(row) == 0 {
				most, bad.Place = n, tables.Place{Sheet: t.Name, Row: row.Number}
				found = "; found: " + strings.Join(headings, ", ")
			}
		}
	}
	bad.Detail, _ = remarks.Shortened(bad.Detail+found, 4*remarks.MaxText)
	return bad
}
