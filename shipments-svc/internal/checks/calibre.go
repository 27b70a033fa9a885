package checks

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// sizing is how a standard sizes a commodity.
type sizing struct {
	produce   string   // name in messages
	commodity string   // first botanical name of its row
	codes     []string // size codes
	from, to  int      // diameters in mm; 0: not sized by diameter
	maxPieces int      // pieces in a box, where sizing by number is allowed; 0: it is not
	source    string
}

// calibreKnown warns of calibres that the standard of their produce does not
// define. Produce without a row in the table is not checked.
func calibreKnown(s subject) finding {
	f, compared := finding{}, 0
	all := lines(s.Pallets)
	for _, g := range groups(all, func(p shipments.Pallet) string { return p.ProduceName + "\x00" + p.Calibre }) {
		calibre := g.pallets[0].Calibre
		standard, ok := sizingOf(g.pallets[0].ProduceName)
		if !ok {
			continue
		}
		compared += len(g.pallets)
		if !standard.has(calibre) {
			f.report(shipments.Warn, fmt.Sprintf("%s is not a calibre of %s (%s) on %s", calibre, standard.produce, standard.source, rowsOf(s, g.pallets...)), g.pallets...)
		}
	}
	if compared == 0 {
		return skip("There is no produce with known calibres.")
	}
	unit := "pallet"
	if len(all) > len(s.Pallets) {
		unit = "line"
	}
	return f.or(pass(fmt.Sprintf("%d of %s compared with the calibres of their produce.", compared, counted(len(all), unit))))
}

// lines returns a pallet for each line of the packing list.
func lines(pallets []shipments.Pallet) []shipments.Pallet {
	all := make([]shipments.Pallet, 0, len(pallets))
	for _, p := range pallets {
		if len(p.Contents) == 0 {
			all = append(all, p)
		}
		for _, c := range p.Contents {
			line := p
			line.ProduceName, line.Calibre = c.ProduceName, c.Calibre
			line.Source.Sheet, line.Source.Row = c.Sheet, c.Row
			all = append(all, line)
		}
	}
	return all
}

func sizingOf(produce string) (sizing, bool) {
	if c := commodityOf(produce); c != nil {
		for _, s := range sizings {
			if s.commodity == c.botanical[0] {
				return s, true
			}
		}
	}
	return sizing{}, false
}

// diameters matches "75", "75-80", "75/80 mm", "Ø 75+".
var diameters = regexp.MustCompile(`^(?:Ø\s*)?(\d{2,3})(?:\s*[-/–]\s*(\d{2,3})|\s*\+)?(\s*MM)?$`)

// has reports whether the standard defines a calibre.
func (s sizing) has(calibre string) bool {
	text := strings.ToUpper(strings.TrimSpace(calibre))
	if slices.Contains(s.codes, text) {
		return true
	}
	if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= s.maxPieces {
		return true
	}
	size := diameters.FindStringSubmatch(text)
	if size == nil || s.to == 0 {
		return false
	}
	for _, bound := range size[1:3] {
		if mm, err := strconv.Atoi(bound); err == nil && (mm < s.from || mm > s.to) {
			return false
		}
	}
	return true
}
