package checks

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// sizing is how a standard sizes a produce.
type sizing struct {
	produce   string   // for people
	plant     string   // whose fruit is meant, by the first botanical name of its row
	codes     []string // size codes
	from, to  int      // diameters in mm; 0: not sized by diameter
	maxPieces int      // pieces a box, where it may be sized by their number; 0: it may not
	source    string
}

// calibreKnown warns of calibres that the standard of their produce does not
// know. Produce that no row of the table is about is not judged.
func calibreKnown(e subject) finding {
	judged := 0
	var wrong []shipments.Pallet
	var said []string
	all := lines(e.Pallets)
	for _, g := range groups(all, func(p shipments.Pallet) string { return p.ProduceName + "\x00" + p.Calibre }) {
		p := g.pallets[0]
		standard, ok := sizingOf(p.ProduceName)
		if !ok {
			continue
		}
		judged += len(g.pallets)
		if !standard.knows(p.Calibre) {
			wrong = append(wrong, g.pallets...)
			said = append(said, fmt.Sprintf("%s is no calibre of %s (%s) on %s", p.Calibre, standard.produce, standard.source, places(e, g.pallets)))
		}
	}
	switch {
	case judged == 0:
		return skip("There is no produce whose calibres are known here.")
	case wrong == nil:
		thing := "pallet"
		if len(all) > len(e.Pallets) {
			thing = "line"
		}
		return pass(fmt.Sprintf("The calibres of %d of %s are known for their produce.", judged, counted(len(all), thing)))
	default:
		return finding{result: shipments.Warn, at: wrong, details: sentence(strings.Join(first(said), "; "))}
	}
}

// lines returns pallets with each of their contents as one of its own.
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

// sizingOf returns the row of the table that is about a produce.
func sizingOf(produce string) (sizing, bool) {
	plant := speciesOf(produce)
	i := slices.IndexFunc(sizings, func(s sizing) bool { return plant != nil && s.plant == plant.botanical[0] })
	if i < 0 {
		return sizing{}, false
	}
	return sizings[i], true
}

// diameters reads "75", "75-80", "75/80 mm", "Ø 75+".
var diameters = regexp.MustCompile(`^(?:Ø\s*)?(\d{2,3})(?:\s*[-/–]\s*(\d{2,3})|\s*\+)?(\s*MM)?$`)

// knows reports whether the standard has a calibre.
func (s sizing) knows(calibre string) bool {
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
