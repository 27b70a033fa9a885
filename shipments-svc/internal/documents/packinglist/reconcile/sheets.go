package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// sheet is the lines of a sheet.
type sheet struct {
	of       *Settled
	name     string
	at       tables.Place
	pallets  map[string]string // what the lines of a pallet say, by container and label
	boxes    float64
	numbered bool // its labels are numbers, as from 1 in each container
}

// Repetitions drops sheets that repeat the pallets of another. It returns an Error with
// the code shipments.AmbiguousMapping for sheets that list the same pallets otherwise, as
// two versions of a list do. Sheets with the same plain numbers for other contents are of
// several containers.
func Repetitions(all []*Settled) error {
	sheets := sheetsOf(all)
	for i, a := range sheets {
		for _, b := range sheets[i+1:] {
			shared, same := 0, 0
			for label, content := range b.pallets {
				if other, ok := a.pallets[label]; ok {
					if shared++; other == content {
						same++
					}
				}
			}
			fewer, other := b, a
			if len(a.pallets) < len(b.pallets) || a.of.Ranges {
				fewer, other = a, b
			}
			whole, numbered := shared == len(fewer.pallets), a.numbered && b.numbered
			switch {
			case whole && (a.of.Ranges != b.of.Ranges || !numbered && same == shared && shared > 1):
				fewer.of.drop(fewer, other.name)
			case shared*2 < len(fewer.pallets) || len(fewer.pallets) < 2 || numbered && same*2 < shared:
			default:
				return &Error{Code: shipments.AmbiguousMapping, Place: b.at, Detail: fmt.Sprintf(
					"the sheets %q (%d pallets with %.0f boxes) and %q (%d pallets with %.0f boxes) list the same pallets; "+
						"send a workbook with the sheet that is valid, or name the container of each",
					a.name, len(a.pallets), a.boxes, b.name, len(b.pallets), b.boxes)}
			}
		}
	}
	return nil
}

// sheetsOf returns the sheets of lines that no sheet's name gives to a container.
func sheetsOf(all []*Settled) (sheets []*sheet) {
	for _, s := range all {
		for _, l := range s.Lines {
			name := l.Place.Sheet
			i := slices.IndexFunc(sheets, func(known *sheet) bool { return known.name == name })
			if i < 0 {
				if m := vocabulary.MeaningOf(name); l.Printed || layout.ContainerText.MatchString(name) ||
					m.Field == vocabulary.Container || m.Rule == "vehicle" {
					continue
				}
				i = len(sheets)
				sheets = append(sheets, &sheet{of: s, name: name, at: l.Place, pallets: map[string]string{}, numbered: true})
			}
			sh := sheets[i]
			label := container(l) + "\x00" + l.Pallet
			sh.pallets[label] += fmt.Sprint(l.Boxes.Value, vocabulary.Fold(l.Calibre.Value), "\x00")
			sh.boxes += l.Boxes.Value
			sh.numbered = sh.numbered && strings.Trim(l.Pallet, "0123456789") == ""
		}
	}
	return sheets
}

// drop drops the lines and totals of a sheet that repeats another.
func (s *Settled) drop(repeated *sheet, other string) {
	s.Lines = slices.DeleteFunc(s.Lines, func(l Line) bool { return l.Place.Sheet == repeated.name })
	s.Read.Totals = slices.DeleteFunc(s.Read.Totals, func(t lines.Total) bool { return t.Sheet == repeated.name })
	s.gather()
	s.Remarks.Add("table_skipped/repeated", repeated.at, repeated.name, other)
}
