package mapping

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
)

//go:embed evidence.txt
var evidenceText string

// evidence is a rule by which the values of a column change its field.
type evidence struct {
	rule       string
	field      vocabulary.Field
	score      string
	of         vocabulary.Field // of its heading
	beside     []string         // the fields of which no other column may be
	conditions []string
	reason     string // why it is not the field of its heading
}

var rules = func() (all []evidence) {
	for c := range vocabulary.Rows(evidenceText) {
		all = append(all, evidence{
			c[0], vocabulary.Field(c[1]), c[2], vocabulary.Field(c[3]), strings.Fields(c[4]), strings.Fields(c[5]), c[6],
		})
	}
	return all
}()

// condition reports whether the values of a column are of a kind.
type condition func(m *Mapping, rows []tables.Row, col int) bool

// conditions are what the values of a column may be, by the names of evidence.txt.
var conditions = map[string]condition{
	"several":  of(func(c *Column) bool { return c.values.distinct > 1 }),
	"repeated": of(func(c *Column) bool { return c.values.distinct*2 <= c.values.filled+4 }),
	"counting": of(func(c *Column) bool { return c.values.counts && c.values.filled > 1 }),
	"unclear":  of(func(c *Column) bool { return c.Score < 0.95 || c.Meaning.Concepts&vocabulary.One != 0 }),
	"counts":   of(func(c *Column) bool { return c.Meaning.Counts() }),
	"total":    of(func(c *Column) bool { return c.Meaning.Concepts&vocabulary.Total != 0 }),
	"unranged": func(m *Mapping, _ []tables.Row, _ int) bool { // "tot" is until in some languages
		return !slices.ContainsFunc(m.Columns, func(c Column) bool { return c.Meaning.Concepts&vocabulary.From != 0 })
	},
	"unique":    of(func(c *Column) bool { return c.values.distinct > 1 && c.values.distinct == c.values.filled }),
	"lines":     of(func(c *Column) bool { return c.Meaning.Rule == "line" }),
	"headed":    of(func(c *Column) bool { return c.Text != "" }),
	"beyond":    of(func(c *Column) bool { return c.values.kinds["count"] == 0 }), // what a number of boxes may be
	"unvaried":  of(func(c *Column) bool { return c.values.kinds["variety"] == 0 }),
	"kilograms": of(func(c *Column) bool { return layout.Unit(c.Text) > 1 }),
	"before-boxes": func(m *Mapping, _ []tables.Row, col int) bool {
		return m.Has(vocabulary.Boxes) && col < m.At(vocabulary.Boxes)
	},
	"priceless": func(m *Mapping, _ []tables.Row, _ int) bool { // invoices list articles
		return !slices.ContainsFunc(m.Columns, func(c Column) bool { return c.Meaning.Rule == "price" })
	},
	"unit-beside": func(m *Mapping, _ []tables.Row, col int) bool { // of weights: "Qty" and "UOM"
		in := func(col int) bool {
			return col >= 0 && col < len(m.Columns) && m.Columns[col].values.filled > 0 &&
				m.Columns[col].values.kinds["unit"]*10 >= m.Columns[col].values.filled*9
		}
		return m.Columns[col].Meaning.Concepts&vocabulary.Box == 0 && (in(col+1) || in(col-1) && !m.numeric(col-2))
	},
	"sequence":      func(_ *Mapping, rows []tables.Row, col int) bool { return sequence(rows, col) },
	"uncoded":       of(func(c *Column) bool { return c.Meaning.Concepts&vocabulary.ID == 0 }),
	"unconsecutive": func(_ *Mapping, rows []tables.Row, col int) bool { return !layout.Enumerates(rows, col) },
	"consecutive":   func(_ *Mapping, rows []tables.Row, col int) bool { return layout.Enumerates(rows, col) },
	"labels":        func(_ *Mapping, rows []tables.Row, col int) bool { return labels(rows, col) },
}

// of returns a condition of a column alone.
func of(is func(*Column) bool) condition {
	return func(m *Mapping, _ []tables.Row, col int) bool { return is(&m.Columns[col]) }
}

// weigh changes the fields of columns whose values say more than their headings.
func (m *Mapping) weigh(rows []tables.Row) {
	m.assign()
	for _, e := range rules {
		for col := range m.Columns {
			c := &m.Columns[col]
			if !e.applies(m, rows, col) {
				continue
			}
			score, _ := strconv.ParseFloat(e.score, 64) // of "=": 0
			if score <= 0 {
				score += c.Score
			}
			if e.reason != "" && c.Meaning.Reason == "" {
				c.Meaning.Resembles, c.Meaning.Reason = c.Field, e.reason
			}
			c.take(e.field, score, e.rule, strings.TrimSuffix("its values: "+e.reason, ": "))
			m.assign()
		}
	}
}

// applies reports whether a rule applies to a column.
func (e evidence) applies(m *Mapping, rows []tables.Row, col int) bool {
	c := &m.Columns[col]
	ruled := c.Field == vocabulary.Other && c.Meaning.Rule == string(e.of)
	if c.Field != e.of && !ruled && e.of != "*" || c.Virtual || c.values.filled == 0 {
		return false
	}
	for _, name := range e.beside {
		if f := vocabulary.Field(name); m.Has(f) || m.given[f] {
			return false
		}
	}
	for _, name := range e.conditions {
		share, kind, counted := strings.Cut(name, "%")
		if percent, _ := strconv.Atoi(share); counted && c.values.kinds[kind]*100 < percent*c.values.filled ||
			!counted && !conditions[name](m, rows, col) {
			return false
		}
	}
	return true
}

// labels reports whether the values of a column are labels: unique, or the same on few lines below each other.
func labels(lines []tables.Row, col int) bool {
	seen, ranges, last, all := map[string]bool{}, false, "", 0
	for _, row := range lines {
		text := textOf(row, col)
		v, ok := layout.Number(row, col)
		ranges = ranges || numbers.SpanOf(text).Pallets() > 1
		count := ok && v < list.MaxPallets/100 && !strings.HasPrefix(text, "0") && !ranges
		if count || seen[text] && text != last || !strings.ContainsAny(text, "0123456789") {
			return false
		}
		seen[text] = true
		last, all = text, all+1
	}
	return len(seen) > 1 && len(seen)*2 > all
}

// sequence reports whether the numbers of a column are consecutive, some on several lines, as those of pallets are.
func sequence(lines []tables.Row, col int) bool {
	last, repeated := 0.0, false
	for _, row := range lines {
		n, ok := layout.Number(row, col)
		if !ok || n != last && n != last+1 {
			return false
		}
		repeated, last = repeated || n == last, n
	}
	return repeated && last > 1
}

// textOf returns the text of a cell, or "".
func textOf(row tables.Row, col int) string {
	if col < 0 || col >= len(row.Cells) {
		return ""
	}
	return row.Cells[col].Text
}

// cartons reports whether each line is a box: it has the number of one and no boxes, and pallets have several.
func (m *Mapping) cartons(lines []tables.Row) bool {
	pallets := 1
	if label := m.First(vocabulary.SSCC, vocabulary.PalletNumber); label != vocabulary.None {
		pallets = m.Column(label).values.distinct
	}
	return m.Has(vocabulary.Carton) && !m.Has(vocabulary.Boxes) && len(lines) >= 2*pallets
}

// values is what the cells of a column have in common.
type values struct {
	filled, distinct int
	kinds            map[string]int // how many are of each kind
	counts           bool           // 1, 2, 3 …
	samples          []string       // the first that differ
}

// samples is how many values of a column are shown.
const samples = 3

// valuesOf returns what the cells of a column have in common.
func valuesOf(lines []tables.Row, col int) values {
	v, last := values{kinds: map[string]int{}, counts: true}, 0.0
	known := map[string][]string{}
	for _, row := range lines {
		text := textOf(row, col)
		if text == "" || row.Cells[col].Merged {
			continue
		}
		kinds, ok := known[text]
		if !ok {
			kinds = kindsOf(row, col)
			known[text] = kinds
			if v.distinct++; v.distinct <= samples {
				v.samples = append(v.samples, text)
			}
		}
		v.filled++
		for _, kind := range kinds {
			v.kinds[kind]++
		}
		n, _ := layout.Number(row, col)
		v.counts, last = v.counts && n == last+1, n
	}
	return v
}

// rangeText matches sizes from one to another: 70/75.
var rangeText = regexp.MustCompile(`^\d{2,3}[-/]\d{2,3}$`)

// codeText matches the number of a box: HV8840101.
var codeText = regexp.MustCompile(`^\pL*\d{5,}$`)

// kindsOf returns what a cell is.
func kindsOf(row tables.Row, col int) (kinds []string) {
	for kind, is := range traits(row, col) {
		if is {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// traits returns of each kind whether a cell is of it.
func traits(row tables.Row, col int) map[string]bool {
	const short = 6 // bytes of a size
	text := row.Cells[col].Text
	n, number := layout.Number(row, col)
	number = number && !IsDate(text)
	size := !number && layout.IsSize(text)
	return map[string]bool{
		"sscc": SSCC(text) != "", "short": len(text) <= short, "number": number,
		"whole": number && n == float64(int(n)) && n > 0, "size": size, "sized": layout.IsSized(text),
		"count":     number && n == float64(int(n)) && n > 0 && n <= list.MaxBoxes,
		"decimal":   number && strings.ContainsAny(text, ".,"),
		"words":     !number && !size && !strings.ContainsFunc(text, unicode.IsDigit),
		"commodity": !number && reference.CommodityOf(text) != "",
		"variety":   !number && reference.Variety(strings.Fields(vocabulary.Fold(text))) > 0,
		"container": layout.ContainerText.FindString(text) == text,
		"range":     rangeText.MatchString(text),
		"code":      codeText.MatchString(text),
		"unit":      len(text) > 1 && numbers.Grams[unitName(text)] > 0,
	}
}

func unitName(text string) string { return strings.ToLower(strings.Trim(text, " .")) }

// SSCC returns the 18 digits of an SSCC whose check digit is right, or "".
func SSCC(text string) string {
	digits := list.SSCC(text)
	if last := len(digits) - 1; last < 0 || digits[last] != list.CheckDigit(digits[:last]) {
		return ""
	}
	return digits
}

// dates matches the dates that spreadsheets make of a calibre such as 10-12.
var dates = regexp.MustCompile(
	`(?i)^\d{1,2}[-/. ](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|dez|out|set|fev|mrt|mei|okt` +
		`|des)[a-zé]*\.?$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}$`,
)

// midnight matches the time that programs write behind a date.
var midnight = regexp.MustCompile(`[ T]0?0:00(:00(\.0+)?)?Z?$`)

// Day returns a date without the time behind it.
func Day(text string) string { return midnight.ReplaceAllString(text, "") }

// IsDate reports whether a text is a date.
func IsDate(text string) bool {
	return text != "" && unicode.IsDigit(rune(text[0])) && dates.MatchString(Day(text))
}
