package checks

import (
	"fmt"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// calibreKnown warns of calibres that the standard of their produce does not
// define. Produce without a row in the table is not checked, and a missing
// calibre is what requiredFields reports.
func calibreKnown(s subject) finding {
	f, compared := finding{}, 0
	all := lines(s.Pallets)
	for _, g := range groups(all, func(p shipments.Pallet) string { return p.ProduceName + "\x00" + p.Calibre }) {
		calibre := g.pallets[0].Calibre
		standards := reference.Sizings[reference.CommodityOf(g.pallets[0].ProduceName)]
		if standards == nil || calibre == "" {
			continue
		}
		compared += len(g.pallets)
		if !slices.ContainsFunc(standards, func(standard reference.Sizing) bool { return standard.Has(calibre) }) {
			f.report(shipments.Warn, fmt.Sprintf("%s is not a calibre of %s (%s) on %s",
				calibre, standards[0].Produce, standards[0].Source, palletsOf(s, g.pallets...)), g.pallets...)
		}
	}
	if compared == 0 {
		return skip("There is no produce with known calibres.")
	}
	unit := "pallet"
	if len(all) > len(s.Pallets) {
		unit = "line"
	}
	return f.or(shipments.Pass, fmt.Sprintf("%d of %s compared with the calibres of their produce.", compared,
		counted(len(all), unit)))
}

// lines returns a pallet for each line of the packing list.
func lines(pallets []shipments.Pallet) []shipments.Pallet {
	all := make([]shipments.Pallet, 0, len(pallets))
	for _, p := range pallets {
		for _, c := range p.Lines() {
			line := p
			line.ProduceName, line.Calibre = c.ProduceName, c.Calibre
			line.Source.Sheet, line.Source.Row = c.Sheet, c.Row
			all = append(all, line)
		}
	}
	return all
}

// produceOf returns the distinct produce of a pallet, sorted by name.
func produceOf(p shipments.Pallet) []string {
	var names []string
	for _, c := range p.Lines() {
		names = append(names, c.ProduceName)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// byProduce groups pallets by produce. A mixed pallet is in several groups.
func byProduce(pallets []shipments.Pallet) []group {
	var single []shipments.Pallet
	for _, p := range pallets {
		for _, name := range produceOf(p) {
			p.ProduceName = name
			single = append(single, p)
		}
	}
	return groups(single, func(p shipments.Pallet) string { return p.ProduceName })
}

// produceVsPhyto compares the produce on the pallets with the botanical names on
// the phytosanitary certificates. It fails where a certificate does not name a
// commodity, and warns of commodities that are on no pallet and of produce that is not
// in the table.
func produceVsPhyto(s subject) finding {
	var certified []string // botanical names
	var words []string     // of the produce on the certificates
	read := slices.DeleteFunc(documentsOf(s, shipments.PhytosanitaryCertificate), shipments.Document.Unfinished)
	for _, doc := range read {
		for _, fact := range doc.Facts {
			if fact.Kind == list.ProduceFact {
				for _, c := range reference.Commodities(fact.Text) {
					if !slices.Contains(certified, c) {
						certified = append(certified, c)
					}
				}
				words = append(words, reference.Words(fact.Text)...)
			}
		}
	}
	switch {
	case len(read) == 0:
		return skip("There is no phytosanitary certificate to compare with.")
	case len(s.Pallets) == 0:
		return skip("There are no pallets to compare with the certificate.")
	case certified == nil:
		return skip("The phytosanitary certificate names no known produce.")
	}
	var f finding
	var loaded []string
	for _, g := range byProduce(s.Pallets) {
		c := reference.CommodityOf(g.name)
		loaded = append(loaded, c)
		if c != "" && !slices.Contains(certified, c) {
			f.report(shipments.Fail, fmt.Sprintf("%s (%s) on %s is not on the certificate, which names %s",
				g.name, c, palletsOf(s, g.pallets...), listed(certified)), g.pallets...)
		}
		mentioned := func(word string) bool { return len(word) > 3 && slices.Contains(words, word) }
		if c == "" && !slices.ContainsFunc(reference.Words(g.name), mentioned) {
			f.report(shipments.Warn, fmt.Sprintf(
				"%q on %s is unknown produce and could not be compared with the certificate",
				g.name, palletsOf(s, g.pallets...)), g.pallets...)
		}
	}
	for _, c := range certified {
		if !slices.Contains(loaded, c) && f.problems == nil {
			f.report(shipments.Warn, fmt.Sprintf("the certificate names %s, which is on no pallet", c))
		}
	}
	return f.or(shipments.Pass, "The certificate covers the produce on the pallets: "+listed(certified)+".")
}
