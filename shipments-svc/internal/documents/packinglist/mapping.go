package packinglist

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// resolveDuplicates chooses among columns whose headings name the same field the
// one for which boxes × box weight equal the net weight.
func (r *reader) resolveDuplicates(s *sheet) {
	const most = 6
	others := func(f field) (cols []int) {
		for col, m := range s.header.meanings {
			if m.field == f && col != s.header.column[f] && len(cols) < most {
				cols = append(cols, col)
			}
		}
		return cols
	}
	if twins := others(netField); len(twins) > 0 && !s.header.has(boxWeightField) && s.header.has(boxesField) {
		for _, col := range append(twins, s.header.column[netField]) {
			for _, whole := range append(twins, s.header.column[netField]) {
				if h := s.header; col != whole {
					h.column[boxWeightField], h.column[netField] = col, whole
					if consistent(s, h) {
						s.header.column = h.column
						s.header.meanings[col].field = boxWeightField
						return
					}
				}
			}
		}
	}
	if parts := others(boxesField); len(parts) > 1 {
		for _, col := range parts {
			if addsUp(s, append(slices.DeleteFunc(slices.Clone(parts), func(p int) bool { return p == col }), s.header.column[boxesField]), col) {
				s.header.column[boxesField] = col
				return
			}
		}
	}
	for _, f := range []field{boxesField, netField, boxWeightField} {
		if !s.header.has(f) || consistent(s, s.header) {
			continue
		}
		for _, col := range others(f) {
			h := s.header
			if h.column[f] = col; consistent(s, h) {
				r.remark(ColumnChosen, s.at(s.header.from, col), "of columns %s %q and %s %q the second was used as the %s: with it, boxes × box weight equal the net weight",
					tables.ColumnName(s.header.column[f]+1), s.heading(f), tables.ColumnName(col+1), h.headings[col], strings.ReplaceAll(names[f], "_", " "))
				s.header.column[f] = col
				break
			}
		}
	}
}

// addsUp reports whether a column is the sum of others in every row with numbers.
func addsUp(s *sheet, parts []int, sum int) bool {
	all := 0
	for _, row := range s.Rows[s.header.to:] {
		number := func(col int) (n float64, ok bool) {
			if col < len(row.Cells) {
				n, ok = plainNumber(row.Cells[col].Text)
			}
			return n, ok
		}
		whole, ok := number(sum)
		for _, col := range parts {
			n, _ := number(col)
			whole -= n
		}
		if ok && whole != 0 {
			return false
		}
		if ok {
			all++
		}
	}
	return all > 1
}

// consistent reports whether boxes × box weight equal the net weight in at least
// 90 % of the lines, with the columns of a header.
func consistent(s *sheet, h header) bool {
	const first = 300
	if !h.has(boxesField) || !h.has(boxWeightField) || !h.has(netField) {
		return false
	}
	trial := &sheet{Table: s.Table, header: h}
	trial.Rows = s.Rows[:min(len(s.Rows), h.to+first)]
	quietReader().columns(trial)
	agree, all := 0, 0
	for i := h.to; i < len(trial.Rows); i++ {
		boxes, each, whole := quietAmount(trial, i, boxesField), quietAmount(trial, i, boxWeightField), quietAmount(trial, i, netField)
		if boxes.ok && each.ok && whole.ok && whole.value > 0 {
			if all++; near(boxes.value*each.value, whole.value) {
				agree++
			}
		}
	}
	return all > 0 && agree*10 >= all*9
}

// near reports whether two weights differ by at most 2 %, as by rounding.
func near(a, b float64) bool { return max(a, b)-min(a, b) <= 0.02*max(a, b) }

// buildMapping records how each column was understood, and remarks on unused ones
// that may be relevant.
func (r *reader) buildMapping(s *sheet) {
	m := shipments.Mapping{
		Sheet: s.Name, HeaderRow: s.Rows[s.header.from].Number, HeaderRows: s.header.to - s.header.from,
		Columns: []shipments.MappedColumn{}, Skipped: []shipments.SkippedRow{},
	}
	columns := len(s.header.headings)
	for _, row := range s.Rows[s.header.to:] {
		columns = max(columns, len(row.Cells))
	}
	for col := range min(columns, shipments.MaxMappedColumns) {
		heading, meant := "", meaning{}
		if col < len(s.header.headings) {
			heading, meant = s.header.headings[col], s.header.meanings[col]
		}
		c := shipments.MappedColumn{Column: tables.ColumnName(col + 1), Heading: heading, Field: names[meant.field]}
		f, used := s.fieldAt(col)
		if used {
			c.Used, c.Field = true, names[f]
			if _, weight := usual[f]; weight {
				c.Unit = unitName(s.columns[f].unit)
			}
		} else {
			numeric := s.numeric(col)
			if heading == "" && !numeric {
				continue
			}
			c.Reason = s.unusedReason(col, meant, numeric)
			if c.Reason != "" && s.relevant(meant, numeric) {
				r.reportUnused(s, col, heading, c.Reason)
			}
			if c.Reason == "" {
				c.Reason = "it is not needed"
			}
		}
		c.Heading, _ = shortened(c.Heading, maxRemarkText)
		c.Reason, _ = shortened(c.Reason, maxRemarkText)
		m.Columns = append(m.Columns, c)
	}
	s.mapping = m
}

// reportUnused remarks on a column, once for all tables with the same heading.
func (r *reader) reportUnused(s *sheet, col int, heading, reason string) {
	key := tables.ColumnName(col+1) + heading
	if r.reported[key] {
		return
	}
	if r.reported == nil {
		r.reported = map[string]bool{}
	}
	if r.reported[key] = true; heading == "" {
		heading = "without a heading"
	} else {
		heading = fmt.Sprintf("%q", heading)
	}
	r.remark(ColumnUnused, s.at(s.header.from, col), "column %s %s was not used: %s", tables.ColumnName(col+1), heading, reason)
}

// reportAssumed remarks on amounts whose headings have words that are not known, which
// may change their meaning. Single letters and words with digits, such as 4kg, do not.
func (r *reader) reportAssumed(s *sheet) {
	for _, f := range []field{boxesField, s.box, s.whole} {
		if !s.header.has(f) {
			continue
		}
		words := slices.DeleteFunc(slices.Clone(s.header.meanings[s.header.column[f]].unknown), func(word string) bool { return len(word) == 1 || strings.ContainsFunc(word, isDigit) })
		if len(words) > 0 {
			r.remark(ColumnAssumed, s.headingPlace(f), "column %s %q was used as the %s, although %q in its heading is not known",
				tables.ColumnName(s.header.column[f]+1), s.heading(f), strings.ReplaceAll(names[f], "_", " "), strings.Join(words, " "))
		}
	}
}

// fieldAt returns the field that is read from a column.
func (s *sheet) fieldAt(col int) (field, bool) {
	for _, f := range []field{ssccField, palletField, palletToField, produceField, varietyField, calibreField, boxesField, lotField, orchardField, palletsField, s.box, s.whole} {
		if f != noField && s.header.column[f] == col && (f != palletField || !s.header.has(ssccField)) {
			return f, true
		}
	}
	if s.box == noField && s.whole == noField && s.header.column[packField] == col {
		return packField, true
	}
	return noField, false
}

// unusedReason returns why a column was not used, or "" for one that is understood
// and not needed.
func (s *sheet) unusedReason(col int, meant meaning, numeric bool) string {
	switch f := meant.field; {
	case meant.reason != "" && names[meant.resembles] != "":
		if s.header.has(meant.resembles) {
			return fmt.Sprintf("%s, and %s is taken from %q", meant.reason, strings.ReplaceAll(names[meant.resembles], "_", " "), s.heading(meant.resembles))
		}
		return meant.reason
	case meant.reason != "":
		return meant.reason
	case f == noField && numeric:
		return "its heading is not known, and it has numbers"
	case f == noField:
		return "its heading is not known"
	case s.header.has(f) && s.header.column[f] != col && names[f] != "":
		return fmt.Sprintf("%s is taken from %q", strings.ReplaceAll(names[f], "_", " "), s.heading(f))
	}
	return ""
}

// relevant reports whether an unused column may be relevant.
func (s *sheet) relevant(meant meaning, numeric bool) bool {
	f := meant.field
	if meant.reason != "" {
		f = meant.resembles
	}
	switch f {
	case palletField, ssccField:
		return true
	case noField:
		return meant.reason == "" && numeric
	case boxesField, boxWeightField, netField:
		return numeric
	case weightField, produceWeightField:
		return numeric && (meant.reason == "" || s.box == noField && s.whole == noField)
	case calibreField:
		return meant.reason == ""
	default:
		return false
	}
}

// numeric reports whether most cells of a column are numbers, other than row
// numbers.
func (s *sheet) numeric(col int) bool {
	n, all, counts := 0, 0, true
	last := 0.0
	for _, row := range s.Rows[s.header.to:] {
		if col >= len(row.Cells) || row.Cells[col].Text == "" || row.Cells[col].Merged {
			continue
		}
		text := row.Cells[col].Text
		if all++; isDate(text) {
			continue
		}
		if v, ok := plainNumber(text); ok {
			n++
			counts = counts && v == last+1
			last = v
		}
	}
	return n > 0 && n*2 >= all && (!counts || n == 1)
}

func unitName(grams float64) string {
	switch grams {
	case 1:
		return "g"
	case numbers.Grams["lb"]:
		return "lb"
	case numbers.Grams["t"]:
		return "t"
	}
	return "kg"
}

// skipped records a row that is not a line of a pallet.
func (s *sheet) skipped(i int, reason string) {
	if len(s.mapping.Skipped) < shipments.MaxSkippedRows {
		s.mapping.Skipped = append(s.mapping.Skipped, shipments.SkippedRow{Row: s.Rows[i].Number, Reason: reason})
	}
}

// noHeader returns the error of a document without a header row. It names the row
// that is nearest to one, and how its headings were understood.
func noHeader(book tables.Book) error {
	best, place, most := header{}, Place{}, 1
	for _, t := range book.Tables {
		for i := range min(len(t.Rows), maxHeaderRow) {
			h := parseHeader(t.Rows[i:i+1], false)
			n := 0
			for _, m := range h.meanings {
				if m.field != noField {
					n++
				}
			}
			if n > most && numbersIn(t.Rows[i]) == 0 {
				best, most, place = h, n, Place{Sheet: t.Name, Row: t.Rows[i].Number}
			}
		}
	}
	detail := "no header row has a pallet number and a number of boxes or a weight"
	var understood, other []string
	for col, heading := range best.headings {
		switch m := best.meanings[col]; {
		case heading == "":
		case m.reason != "":
			other = append(other, fmt.Sprintf("%q (%s)", heading, m.reason))
		case names[m.field] != "":
			understood = append(understood, fmt.Sprintf("%q (%s)", heading, names[m.field]))
		default:
			other = append(other, fmt.Sprintf("%q", heading))
		}
	}
	if understood != nil {
		detail += "; found: " + strings.Join(understood, ", ")
	}
	if other != nil && slices.ContainsFunc(best.headings, func(h string) bool { return h != "" }) {
		detail += "; not used: " + strings.Join(other, ", ")
	}
	detail, _ = shortened(detail, 4*maxRemarkText)
	return &Unreadable{Code: NoHeaderRow, Detail: detail, Place: place}
}
