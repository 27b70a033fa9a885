package reconcile

import (
	"fmt"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
)

// sheet is what the lines of a sheet say of each pallet, by its container and label.
type sheet struct {
	first    Line
	pallets  map[string]string
	boxes    float64
	numbered bool // its labels are numbers, as from 1 in each container, of which it names none
}

// Repetitions returns an Error with the code list.AmbiguousMapping for sheets that list
// the same pallets, as a summary does, or two versions of a list. Sheets with the same plain
// numbers for other contents are of several containers.
func Repetitions(all []*Settled) error {
	var sheets []*sheet
	for _, b := range sheetsOf(all) {
		for _, a := range sheets {
			shared, same := 0, 0
			for label, content := range b.pallets {
				if other, ok := a.pallets[label]; ok {
					if shared++; other == content {
						same++
					}
				}
			}
			fewer := min(len(a.pallets), len(b.pallets))
			if fewer < 2 || shared*2 < fewer || a.numbered && b.numbered && same*2 < shared {
				continue
			}
			return &Error{Code: list.AmbiguousMapping, Place: b.first.Place, Detail: fmt.Sprintf(
				"the sheets %q (%d pallets with %.0f boxes) and %q (%d pallets with %.0f boxes) list the same pallets; "+
					"send a workbook with the sheet that is valid, or name the container of each",
				a.first.Place.Sheet, len(a.pallets), a.boxes, b.first.Place.Sheet, len(b.pallets), b.boxes)}
		}
		sheets = append(sheets, b)
	}
	return nil
}

// sheetsOf returns the sheets of lines that no sheet's name gives to a container.
func sheetsOf(all []*Settled) (sheets []*sheet) {
	known := map[string]*sheet{}
	for _, s := range all {
		for _, l := range s.Lines {
			name := l.Place.Sheet
			sh, ok := known[name]
			if !ok {
				sh = &sheet{first: l, pallets: map[string]string{}, numbered: true}
				known[name] = sh
				m := vocabulary.MeaningOf(name)
				if of := m.Field == vocabulary.Container || m.Rule == "vehicle"; !l.Printed && !of &&
					!layout.ContainerText.MatchString(name) {
					sheets = append(sheets, sh)
				}
			}
			sh.pallets[container(l)+"\x00"+l.Pallet] += fmt.Sprint(l.Boxes.Value, vocabulary.Fold(l.Calibre.Value), "\x00")
			sh.boxes += l.Boxes.Value
			sh.numbered = sh.numbered && strings.Trim(l.Pallet, "0123456789") == "" && container(l) == ""
		}
	}
	return sheets
}
