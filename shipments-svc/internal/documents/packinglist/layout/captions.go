package layout

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Caption is a value that a row gives to the lines below: "Variety: Crimson Seedless".
type Caption struct {
	Field vocabulary.Field
	Text  string
	Whole string // the text that it was read from, if more
	Place tables.Place
	col   int
	from  int // the index of its row
}

// captioned are the fields of captions.
var captioned = []vocabulary.Field{
	vocabulary.PalletNumber, vocabulary.SSCC, vocabulary.Produce, vocabulary.Variety, vocabulary.Calibre, vocabulary.Lot,
	vocabulary.Orchard, vocabulary.PUC, vocabulary.PHC, vocabulary.GGN, vocabulary.Grower, vocabulary.Container,
	vocabulary.Seal, vocabulary.Packed, vocabulary.Harvested,
}

// ContainerText matches a container number within a text (ISO 6346).
var ContainerText = regexp.MustCompile(`\b[A-Z]{3}[UJZ][ -]?\d{6}[ -]?\d\b`)

// Given returns the value that a caption gives to a field of a row.
func (t Table) Given(row int, f vocabulary.Field) (Caption, bool) {
	all := t.given[f]
	if i := sort.Search(len(all), func(i int) bool { return all[i].from > row }); i > 0 {
		return all[i-1], true
	}
	return Caption{}, false
}

// Gives reports whether captions give a field.
func (t Table) Gives(f vocabulary.Field) bool { return t.given[f] != nil }

// captioned returns the table with the captions of its lines. A page without a header
// continues those of the page before. The produce may also stand below all lines.
func (t Table) captioned() Table {
	before := t.given
	t.given, t.Captions = map[vocabulary.Field][]Caption{}, map[int]bool{}
	for f, all := range before {
		last := all[len(all)-1]
		last.from = 0
		t.given[f] = []Caption{last}
	}
	for i := range t.Rows {
		if (i < t.From || i >= t.To) && t.caption(i) {
			t.Captions[i] = true
		}
	}
	for _, f := range []vocabulary.Field{vocabulary.Produce, vocabulary.Variety} {
		if all := t.given[f]; all != nil && all[0].from >= t.Below() {
			all[0].from = 0
		}
	}
	if i := t.From - 1; i >= 0 && t.title(i) {
		c := Caption{Field: vocabulary.Produce, Text: t.Rows[i].Cells[Filled(t.Rows[i])[0]].Text, Place: t.At(i, -1)}
		t.given[c.Field] = append([]Caption{c}, t.given[c.Field]...)
	}
	if !t.header.labelled() && t.Gives(vocabulary.PalletNumber) && t.Kind == shipments.LinesLayout {
		t.Kind = shipments.BlocksLayout
	}
	return t
}

// title reports whether a row straight above the headings names the produce of the table,
// which has no column for it: it is one that is known, or that of a further table.
func (t Table) title(i int) bool {
	const words = 3
	cells := Filled(t.Rows[i])
	if len(cells) != 1 || t.Rows[i].Number+1 != t.Rows[t.From].Number || t.header.has(vocabulary.Produce) ||
		t.header.has(vocabulary.Variety) || t.Gives(vocabulary.Produce) {
		return false
	}
	text := t.Rows[i].Cells[cells[0]].Text
	of, _ := vocabulary.Of(text)
	return of == 0 && len(strings.Fields(text)) <= words && !strings.ContainsAny(text, "0123456789:=.") &&
		(t.stacked || reference.CommodityOf(text) != nil)
}

// caption reads a row as captions. Of rows with few texts, those with a pallet number are
// lines.
func (t *Table) caption(i int) (found bool) {
	row := t.Rows[i]
	cells := worded(row)
	pallet := !t.header.labelled() && PalletCaption(row) != nil
	if len(cells) == 0 || !pallet && i >= t.To && (len(cells) > 3 || len(cells) > 1 && t.numbered(row)) {
		return false
	}
	give := func(c Caption) {
		c.Place, c.from, found = t.At(i, c.col), i, true
		t.given[c.Field] = append(t.given[c.Field], c)
	}
	for _, c := range Captions(row) {
		if pallet || !slices.Contains(labelFields, c.Field) {
			give(c)
		}
	}
	if pallet {
		c := PalletCaption(row)
		c.Field = vocabulary.PalletNumber
		give(*c)
	}
	var containers []Caption
	for _, col := range cells {
		for _, text := range ContainerText.FindAllString(row.Cells[col].Text, -1) {
			containers = append(containers, Caption{Field: vocabulary.Container, Text: text, col: col})
		}
	}
	if len(containers) == 1 && (found || len(cells) == 1 || i < t.From) {
		give(containers[0])
	}
	if found == (len(cells) == 2) && (found || !t.Printed) {
		for _, col := range cells {
			if f := t.bare(i, col); f != vocabulary.None {
				give(Caption{Field: f, Text: Unclassed(row.Cells[col].Text), Whole: row.Cells[col].Text, col: col})
			}
		}
	}
	return found
}

// classText matches the class behind a name, and what follows it.
var classText = regexp.MustCompile(`(?i)[\s,–-]+(?:cat(?:egor\pL*)?|classe?|klasse)\b\.?\s*(?:extra|i{1,3}|[123])\b.*$`)

// Unclassed returns a name without its class: "KIWI HAYWARD" of "KIWI HAYWARD CAT. I".
func Unclassed(text string) string { return classText.ReplaceAllString(text, "") }

// numbered reports whether a row has a pallet number.
func (t Table) numbered(row tables.Row) bool {
	return slices.ContainsFunc(labelFields, func(f vocabulary.Field) bool {
		col, ok := t.header.columns[f]
		return ok && col < len(row.Cells) && strings.ContainsFunc(row.Cells[col].Text, isDigit)
	})
}

// bare returns the field of a text without a label above its lines, a variety or a calibre,
// if the table has no column for it: the row below is a line.
func (t Table) bare(i, col int) vocabulary.Field {
	const words = 4
	next, text := i+1, Unclassed(t.Rows[i].Cells[col].Text)
	if i < t.To || next >= len(t.Rows) || t.Rows[next].Number-t.Rows[i].Number > 1 ||
		!t.numbered(t.Rows[next]) || !t.counts(t.Rows[next]) || unmarked(text) != nil {
		return vocabulary.None
	}
	f, no := vocabulary.Variety, t.header.has(vocabulary.Variety) || t.header.has(vocabulary.Produce)
	if strings.ContainsFunc(text, isDigit) {
		f, no = vocabulary.Calibre, t.header.has(vocabulary.Calibre)
	}
	folded := vocabulary.Fold(text)
	if no || len(strings.Fields(text)) > words || strings.ContainsAny(text, ":.;") ||
		vocabulary.NotShipped.MatchString(folded) || vocabulary.IsTotal(folded) {
		return vocabulary.None
	}
	return f
}

// worded returns the cells of a row with a letter or digit, unlike a bar between texts.
func worded(row tables.Row) []int {
	worded := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return slices.DeleteFunc(Filled(row), func(col int) bool { return !strings.ContainsFunc(row.Cells[col].Text, worded) })
}

// Captions returns the captions of a row with few texts.
func Captions(row tables.Row) (all []Caption) {
	const most = 6 // texts
	cells := worded(row)
	if len(cells) > most {
		return nil
	}
	for n, col := range cells {
		text := row.Cells[col].Text
		found := labelled(text)
		if label := strings.TrimRight(text, ": "); found == nil && n%2 == 0 && len(cells)%2 == 0 && label != "" &&
			!strings.ContainsFunc(label, isDigit) {
			pallet := len(cells) == 2 || label != text // not "Pallet | Hass 16", two headings
			if f := field(label); f != vocabulary.None && (pallet || !slices.Contains(labelFields, f)) {
				col = cells[n+1]
				found = []Caption{{Field: f, Text: row.Cells[col].Text}}
			}
		}
		if found == nil && len(cells) <= 2 {
			found = unmarked(text)
		}
		for _, c := range found {
			c.col = col
			all = append(all, c)
		}
	}
	return all
}

// field returns the field of a caption that a label names, or None.
func field(label string) vocabulary.Field {
	m := vocabulary.MeaningOf(label)
	if m.Reason != "" || m.Score < vocabulary.Clear || !slices.Contains(captioned, m.Field) {
		return vocabulary.None
	}
	return m.Field
}

// labelled returns the captions of a text such as "Container: A Seal: B".
func labelled(text string) (all []Caption) {
	const words = 4 // of a label
	last := -1      // the caption whose value ends at the next label
	begin := 0
	for i, c := range text {
		if c != ':' {
			continue
		}
		before := strings.Fields(text[begin:i])
		for skip := max(0, len(before)-words); skip <= len(before); skip++ {
			if skip == len(before) {
				return all
			}
			label := strings.Join(before[skip:], " ")
			m := vocabulary.MeaningOf(label)
			_, fact := vocabulary.FactKind(label)
			if m.Field == vocabulary.None && !fact || (skip > 0 || begin > 0) && len(m.Unknown) > 0 {
				continue
			}
			if last >= 0 {
				all[last].Text = strings.Trim(strings.Join(before[:skip], " "), " ,;/|-")
			} else if skip > 0 {
				break
			}
			if last = -1; field(label) != vocabulary.None {
				last = len(all)
				all = append(all, Caption{Field: field(label)})
			}
			break
		}
		begin = i + 1
	}
	if last >= 0 {
		all[last].Text = strings.Trim(text[begin:], " ,;/|-")
	}
	if all = slices.DeleteFunc(all, func(c Caption) bool { return c.Text == "" }); len(all) == 0 {
		return nil
	}
	return all
}

// parts separates the captions of a text: "PALLET 101 - SSCC 3601…".
var parts = regexp.MustCompile(`\s[-–—|/]\s|[(),;|]`)

// ofSeveral matches a number and how many there are: "1 of 20".
var ofSeveral = regexp.MustCompile(`(\d) (?:of|von|van|de|di|sur|/) \d+$`)

// unmarked returns the captions of a text such as "SIZE 40", whose values have a digit.
func unmarked(text string) (all []Caption) {
	for i, part := range parts.Split(text, -1) {
		words := strings.Fields(ofSeveral.ReplaceAllString(strings.TrimSpace(part), "$1"))
		for n := min(2, len(words)-1); n > 0; n-- {
			value := strings.Join(words[n:], " ")
			if f := field(strings.Join(words[:n], " ")); f != vocabulary.None && len(words)-n <= 2 &&
				(strings.ContainsFunc(value, isDigit) || f == vocabulary.Calibre && IsSize(value)) {
				all = append(all, Caption{Field: f, Text: value})
				break
			}
		}
		if i == 0 && all == nil {
			return nil
		}
	}
	return all
}

// PalletCaption returns the caption of a pallet that a row is, or nil.
func PalletCaption(row tables.Row) *Caption {
	const words = 4
	for _, c := range Captions(row) {
		if slices.Contains(labelFields, c.Field) && strings.ContainsFunc(c.Text, isDigit) &&
			len(strings.Fields(ofSeveral.ReplaceAllString(c.Text, "$1"))) <= words {
			return &c
		}
	}
	return nil
}
