package layout

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// Label is the name of a field or of a fact, with its value.
type Label struct {
	Name, Value string
	From, Col   int // the columns of the name and of the value
}

// ContainerText matches a container number within a text (ISO 6346).
var ContainerText = regexp.MustCompile(`\b[A-Z]{3}[UJZ][ -]?\d{6}[ -]?\d\b`)

// Containers returns the container numbers in a cell, without those that a label of its row calls another number.
func Containers(row tables.Row, col int, labels []Label) []string {
	text := row.Cells[col].Text
	for _, l := range labels {
		if l.Col == col && NamesOther(l.Name) {
			text = strings.Replace(text, l.Value, "", 1)
		}
	}
	return ContainerText.FindAllString(text, -1)
}

// NamesOther reports whether a label names a number of a document, which may be like that of a container.
func NamesOther(label string) bool {
	kind, ok := vocabulary.FactKind(label)
	return ok && slices.Contains([]list.FactKind{
		list.BillOfLadingFact, list.InvoiceFact, list.ReferenceFact, list.PhytoFact,
	}, kind)
}

// inText returns the labels of a text such as "Vessel: MSC Carmen Seal: 91". Each is as many
// words before a colon as are a name, and its value ends at the next.
func inText(text string) (all []Label) {
	begin := 0 // of the text after the last label
	for i, c := range text {
		if c != ':' && c != '=' {
			continue
		}
		words := strings.Fields(text[begin:i])
		for skip := max(0, len(words)-vocabulary.LongestLabel()); skip < len(words); skip++ {
			name := strings.Join(words[skip:], " ")
			m := vocabulary.MeaningOf(name)
			_, fact := vocabulary.FactKind(name)
			value := func(word string) bool { return isDigit(rune(word[0])) } // of another label: "PALLET 7 Date"
			before := skip == 0 && begin > 0 &&                               // of another: "Variety: FINO Size: 4"
				vocabulary.MeaningOf(strings.Join(words[1:], " ")).Field == m.Field
			known := m.Field != vocabulary.None && (begin+skip == 0 || m.Unknown == nil) && !before &&
				!slices.ContainsFunc(words[skip:max(skip+1, len(words)-1)], value)
			if !fact && !known {
				continue
			}
			if n := len(all); n > 0 {
				all[n-1].Value = strings.Join(words[:skip], " ")
			} else {
				all = unmarked(strings.Join(words[:skip], " "))
			}
			all = append(all, Label{Name: name})
			begin = i + 1
			break
		}
	}
	if n := len(all); n > 0 {
		all[n-1].Value = text[begin:]
	}
	for i, l := range all {
		if words := strings.Fields(l.Value); field(l.Name) == vocabulary.Calibre {
			l.Value = strings.Join(words[:sized(words)], " ")
		}
		all[i].Value = strings.Trim(l.Value, " ,;/|-")
	}
	return slices.DeleteFunc(all, func(l Label) bool { return l.Value == "" })
}

// sized returns how many of the words behind the label of a calibre are one: "1X Cat. I" has one.
func sized(words []string) int {
	other := func(word string) bool { return vocabulary.MeaningOf(word).Field != vocabulary.None }
	if n := slices.IndexFunc(words, other); n > 0 {
		return n
	}
	return len(words)
}

// parts separates the labels of a text: "PALLET 101 - SSCC 3601…".
var parts = regexp.MustCompile(`\s[-–—|/]\s|[(),;|]`)

// unitText matches the unit of a label: "Size (mm) 70/80".
var unitText = regexp.MustCompile(`\s*\((?:mm|kg|g)\)`)

// ofSeveral matches a number and how many there are: "1 of 20".
var ofSeveral = regexp.MustCompile(`(\d) (?:of|von|van|de|di|sur|/) \d+$`)

// unmarked returns the labels of a text without colons: "SIZE 40 - LOT 7 VARIETY HASS". Most values have a digit.
func unmarked(text string) (all []Label) {
	for _, part := range parts.Split(unitText.ReplaceAllString(text, ""), -1) {
		words := strings.Fields(ofSeveral.ReplaceAllString(strings.TrimSpace(part), "$1"))
		for from, k := 0, 1; k <= len(words); k++ {
			if k < len(words) && (!strings.ContainsFunc(words[k-1], isDigit) || field(words[k]) == vocabulary.None) {
				continue
			}
			if l, ok := labelIn(words[from:k]); ok {
				all = append(all, l)
			}
			from = k
		}
		if all == nil {
			return nil
		}
	}
	return all
}

// labelIn returns the label of words such as SIZE 40.
func labelIn(words []string) (Label, bool) {
	for n := min(3, len(words)-1); n > 0; n-- {
		name, value := strings.Join(words[:n], " "), strings.TrimLeft(strings.Join(words[n:], " "), "# ")
		_, unknown := vocabulary.Of(words[n-1]) // the value begins before: "Variety Ziraat 900"
		f := field(name)
		valued := strings.ContainsFunc(value, isDigit) || f == vocabulary.Calibre || f == vocabulary.Variety
		named := f != vocabulary.None && (n == 1 || unknown == nil)
		if named && valued && len(words)-n <= 2 {
			return Label{Name: name, Value: value}, true
		}
	}
	return Label{}, false
}

// LabelsOf returns the labels of a row: within its texts, or in the cell on the left of the value.
func LabelsOf(row tables.Row) (all []Label) {
	cells := Worded(row)
	labelled := func(col int) bool { return inText(row.Cells[col].Text) != nil }
	labels := len(cells) <= 3 || slices.ContainsFunc(cells, labelled)
	for n := 0; n < len(cells); n++ {
		text := row.Cells[cells[n]].Text
		found, from, col := inText(text), cells[n], cells[n]
		switch {
		case len(found) > 0:
		case n+1 < len(cells) && isLabel(text) && !isLabel(row.Cells[cells[n+1]].Text):
			n++
			col = cells[n]
			found = []Label{{Name: strings.TrimRight(text, ": "), Value: row.Cells[col].Text}}
		case labels:
			found = unmarked(text)
		}
		for _, l := range found {
			l.From, l.Col = from, col
			all = append(all, l)
		}
	}
	return all
}

// isLabel reports whether a text names a field or a fact, and nothing else.
func isLabel(text string) bool {
	name := strings.TrimRight(text, ": ")
	if _, fact := vocabulary.FactKind(name); fact || name != text {
		return !IsQuantity(name)
	}
	m := vocabulary.MeaningOf(name)
	return m.Field != vocabulary.None && m.Reason == "" && m.Unknown == nil && !strings.ContainsFunc(name, isDigit)
}

// captionsIn returns the labels of a row that give values to lines.
func captionsIn(row tables.Row) []Label {
	return slices.DeleteFunc(LabelsOf(row), func(l Label) bool { return field(l.Name) == vocabulary.None })
}

// Worded returns the cells of a row with a letter or digit, unlike a bar between texts.
func Worded(row tables.Row) []int {
	worded := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return slices.DeleteFunc(Filled(row), func(col int) bool {
		return !strings.ContainsFunc(row.Cells[col].Text, worded)
	})
}
