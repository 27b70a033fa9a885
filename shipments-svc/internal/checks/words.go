package checks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// examples is how many examples details name.
const examples = 5

// counted returns "1 pallet", "1,204 pallets", "3 boxes".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if strings.HasSuffix(thing, "box") {
		thing += "e"
	}
	return list.Figure(n) + " " + thing + "s"
}

// kilograms returns "4.125 kg", "3,861 kg".
func kilograms(g list.Grams) string { return g.Figure() + " kg" }

// listed returns "a", "a and b", "a, b, c, d, e and 7 more".
func listed(all []string) string {
	if more := len(all) - examples; more > 0 {
		all = append(slices.Clone(all[:examples]), list.Figure(more)+" more")
	}
	if len(all) == 1 {
		return all[0]
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

// summary returns the first problems and the number of the others as a sentence.
func summary(problems []string) string {
	if more := len(problems) - examples; more > 0 {
		problems = append(slices.Clone(problems[:examples]), "and "+list.Figure(more)+" more")
	}
	return sentence(strings.Join(problems, "; "))
}

// rowsOf describes where pallets begin: "row 7", "rows 7 and 31", with sheet and
// packing list where there are several.
func rowsOf(s subject, pallets ...shipments.Pallet) string {
	sources := make([]shipments.Source, len(pallets))
	for i, p := range pallets {
		sources[i] = p.Source
	}
	return sourceRows(s, sources)
}

// palletsOf describes pallets by where they begin or, if these are many, by their produce: "20 pallets of Royal Gala".
func palletsOf(s subject, pallets ...shipments.Pallet) string {
	if len(pallets) <= examples {
		return rowsOf(s, pallets...)
	}
	var all []string
	for _, g := range groups(pallets, func(p shipments.Pallet) string { return p.ProduceName }) {
		distinct := map[string]bool{} // of lines, several are of one pallet
		for _, p := range g.pallets {
			distinct[fmt.Sprint(p.Document, p.Container, p.Number)] = true
		}
		all = append(all, strings.TrimSuffix(counted(len(distinct), "pallet")+" of "+g.name, " of "))
	}
	return listed(all)
}

// sourceRows is rowsOf for any places in packing lists.
func sourceRows(s subject, sources []shipments.Source) string {
	lists := documentsOf(s, shipments.PackingList)
	var rows, full []string
	for _, source := range sources {
		text := "row " + strconv.Itoa(source.Row)
		rows = append(rows, strconv.Itoa(source.Row))
		list := slices.IndexFunc(lists, func(doc shipments.Document) bool { return doc.ID == source.Document })
		if list < 0 {
			full = append(full, "a row without a document")
			continue
		}
		if len(s.sheets) > 1 || source.Sheet != "" && !s.sheets[source.Sheet] {
			text += " of " + sheetName(source.Sheet)
		}
		if len(lists) > 1 {
			text += " of " + documentName(s, lists[list])
		}
		full = append(full, text)
	}
	if len(rows) == 1 || !slices.EqualFunc(full, rows, func(text, row string) bool { return text == "row "+row }) {
		return listed(full)
	}
	return "rows " + listed(rows) // all are of the only table
}

// sheetName returns a sheet's name in quotes, or "page 3".
func sheetName(name string) string {
	if strings.HasPrefix(name, "page ") {
		return name
	}
	return strconv.Quote(name)
}

// named returns "pallet 0042 (row 7)".
func named(s subject, p shipments.Pallet) string {
	return fmt.Sprintf("pallet %s (%s)", p.Number, rowsOf(s, p))
}

// limited shortens details so that they have, with an end, the maximum length.
func limited(details, end string) string {
	room := shipments.MaxCheckDetails - utf8.RuneCountInString(end)
	if utf8.RuneCountInString(details) <= room {
		return details + end
	}
	const more = " …."
	return string([]rune(details)[:room-utf8.RuneCountInString(more)]) + more + end
}

// sentence returns a text with a capital and a full stop.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}
