package layout

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// Label is the name of a field or of a fact, with its value.
type Label struct {
	Name, Value string
	First       bool // its text begins with it
	col         int  // of its value
}

// ContainerText matches a container number within a text (ISO 6346).
var ContainerText = regexp.MustCompile(`\b[A-Z]{3}[UJZ][ -]?\d{6}[ -]?\d\b`)

// Labels returns the labels of a text such as "Vessel: MSC Carmen Seal: 91". Each is as many
// words before a colon as are a name, and its value ends at the next.
func Labels(text string) (all []Label) {
	begin := 0 // of the text after the last label
	for i, c := range text {
		if c != ':' && c != '=' {
			continue
		}
		words := strings.Fields(text[begin:i])
		for skip := max(0, len(words)-vocabulary.LongestLabel()); skip < len(words); skip++ {
			name := strings.Join(words[skip:], " ")
			first := begin == 0 && skip == 0
			m := vocabulary.MeaningOf(name)
			_, fact := vocabulary.FactKind(name)
			if !fact && (m.Field == vocabulary.None || !first && (m.Unknown != nil || isDigit(rune(name[0])))) {
				continue
			}
			if n := len(all); n > 0 {
				all[n-1].Value = strings.Join(words[:skip], " ")
			}
			all = append(all, Label{Name: name, First: first})
			begin = i + 1
			break
		}
	}
	if n := len(all); n > 0 {
		all[n-1].Value = text[begin:]
	}
	for i := range all {
		all[i].Value = strings.Trim(all[i].Value, " ,;/|-")
	}
	return slices.DeleteFunc(all, func(l Label) bool { return l.Value == "" })
}

// parts separates the labels of a text: "PALLET 101 - SSCC 3601…".
var parts = regexp.MustCompile(`\s[-–—|/]\s|[(),;|]`)

// ofSeveral matches a number and how many there are: "1 of 20".
var ofSeveral = regexp.MustCompile(`(\d) (?:of|von|van|de|di|sur|/) \d+$`)

// unmarked returns the labels of a text without colons such as "SIZE 40 - LOT 7", whose values
// have a digit.
func unmarked(text string) (all []Label) {
	for i, part := range parts.Split(text, -1) {
		words := strings.Fields(ofSeveral.ReplaceAllString(strings.TrimSpace(part), "$1"))
		for n := min(2, len(words)-1); n > 0; n-- {
			name, value := strings.Join(words[:n], " "), strings.Join(words[n:], " ")
			if f := field(name); f != vocabulary.None && len(words)-n <= 2 &&
				(strings.ContainsFunc(value, isDigit) || f == vocabulary.Calibre && IsSize(value)) {
				all = append(all, Label{Name: name, Value: value, First: true})
				break
			}
		}
		if i == 0 && all == nil {
			return nil
		}
	}
	return all
}

// labelsOf returns the labels of a row with few texts: within them, or in the cell on the left
// of the value.
func labelsOf(row tables.Row) (all []Label) {
	const most = 6 // texts
	cells, form := worded(row), isPairs(row)
	if len(cells) > most && !form {
		return nil
	}
	for n, col := range cells {
		text := row.Cells[col].Text
		found := Labels(text)
		if label := strings.TrimRight(text, ": "); len(found) == 0 && n%2 == 0 && len(cells)%2 == 0 &&
			!strings.ContainsFunc(label, isDigit) {
			pallet := len(cells) == 2 || form || label != text // not "Pallet | Hass 16", two headings
			if f := field(label); f != vocabulary.None && (pallet || !slices.Contains(labelFields, f)) {
				col = cells[n+1]
				found = []Label{{Name: label, Value: row.Cells[col].Text, First: true}}
			}
		}
		if len(found) == 0 && len(cells) <= 2 {
			found = unmarked(text)
		}
		if len(found) > 0 && !found[0].First {
			continue
		}
		for _, l := range found {
			l.col = col
			all = append(all, l)
		}
	}
	return all
}

// isPairs reports whether a row is several labels, each on the left of its value, which is no
// heading: "Pallet no. | 311 | Variety | Hass".
func isPairs(row tables.Row) bool {
	cells, fields := worded(row), 0
	if len(cells) <= 2 || len(cells)%2 != 0 || strings.ContainsFunc(row.Cells[cells[0]].Text, isDigit) {
		return false
	}
	for n, col := range cells {
		text := row.Cells[col].Text
		m := vocabulary.MeaningOf(text)
		_, fact := vocabulary.FactKind(strings.TrimRight(text, ": "))
		named := m.Field != vocabulary.None || fact
		if label := n%2 == 0; named != label && (!label || !strings.HasSuffix(text, ":")) {
			return false
		} else if label && field(text) != vocabulary.None {
			fields++
		}
	}
	return fields > 0
}

// worded returns the cells of a row with a letter or digit, unlike a bar between texts.
func worded(row tables.Row) []int {
	worded := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return slices.DeleteFunc(Filled(row), func(col int) bool { return !strings.ContainsFunc(row.Cells[col].Text, worded) })
}
