package layout

import (
	"regexp"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// Caption is a value that a row gives to the lines below: "Variety: Crimson Seedless".
type Caption struct {
	Field vocabulary.Field
	Text  string
	Col   int
}

// captioned are the fields of captions.
var captioned = []vocabulary.Field{
	vocabulary.PalletNumber, vocabulary.SSCC, vocabulary.Produce, vocabulary.Variety, vocabulary.Calibre, vocabulary.Lot,
	vocabulary.Orchard,
	vocabulary.PUC, vocabulary.PHC, vocabulary.GGN, vocabulary.Grower, vocabulary.Container, vocabulary.Seal,
	vocabulary.Packed,
	vocabulary.Harvested, vocabulary.BoxWeight, vocabulary.Pack,
}

// ContainerText matches a container number within a text (ISO 6346).
var ContainerText = regexp.MustCompile(`\b[A-Z]{3}[UJZ][ -]?\d{6}[ -]?\d\b`)

// Captions returns the captions of a row with few texts.
func Captions(row tables.Row) (all []Caption) {
	const most = 6 // texts
	cells := Filled(row)
	if len(cells) > most {
		return nil
	}
	for n, col := range cells {
		text := row.Cells[col].Text
		found := labelled(text)
		if strings.TrimSpace(strings.TrimRight(text, ": ")) != "" && found == nil && n+1 < len(cells) && len(cells)%2 == 0 &&
			n%2 == 0 {
			if f := field(strings.TrimRight(text, ": ")); f != vocabulary.None {
				found = []Caption{{Field: f, Text: row.Cells[cells[n+1]].Text}}
				col = cells[n+1]
			}
		}
		if found == nil && len(cells) == 1 {
			found = unmarked(text)
		}
		for _, c := range found {
			c.Col = col
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
	return slices.DeleteFunc(all, func(c Caption) bool { return c.Text == "" })
}

// parts separates the captions of a text: "PALLET 101 - SSCC 3601…".
var parts = regexp.MustCompile(`\s[-–—|/]\s|[(),;|]`)

// ofSeveral matches a number and how many there are: "1 of 20".
var ofSeveral = regexp.MustCompile(`(\d) (?:of|von|van|de|di|sur|/) \d+$`)

// unmarked returns the captions of a text such as "SIZE 40", whose values have a digit.
func unmarked(text string) (all []Caption) {
	for i, part := range parts.Split(text, -1) {
		words := strings.Fields(ofSeveral.ReplaceAllString(part, "$1"))
		for n := min(2, len(words)-1); n > 0; n-- {
			value := strings.Join(words[n:], " ")
			if f := field(strings.Join(words[:n], " ")); f != vocabulary.None && len(words)-n <= 2 &&
				strings.ContainsFunc(value, isDigit) {
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

// HasCaptions reports whether at least one row of a table is a caption of a pallet.
func HasCaptions(rows []tables.Row) bool {
	return slices.ContainsFunc(rows, func(row tables.Row) bool { return PalletCaption(row) != nil })
}

// PalletCaption returns the caption of a pallet that a row is, or nil.
func PalletCaption(row tables.Row) *Caption {
	const words = 4
	for _, c := range Captions(row) {
		pallet := c.Field == vocabulary.PalletNumber || c.Field == vocabulary.SSCC
		if pallet && strings.ContainsFunc(c.Text, isDigit) && len(strings.Fields(c.Text)) <= words {
			return &c
		}
	}
	return nil
}
