package checks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// shown is how many examples a sentence gives.
const shown = 5

// counted returns "1 pallet", "1,204 pallets".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if strings.HasSuffix(thing, "box") {
		thing += "e"
	}
	return grouped(n) + " " + thing + "s"
}

// grouped returns a number with its thousands set apart.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// kilograms returns a weight as people write it: "4.125 kg", "3,861 kg".
func kilograms(g shipments.Grams) string {
	text := grouped(int(g / 1000))
	if rest := g % 1000; rest > 0 {
		text += strings.TrimRight(fmt.Sprintf(".%03d", rest), "0")
	}
	return text + " kg"
}

// listed joins the first of several things: "a", "a and b", "a, b and 7 more".
func listed(things []string) string {
	if more := len(things) - shown; more > 0 {
		things = append(append([]string{}, things[:shown]...), grouped(more)+" more")
	}
	if len(things) == 1 {
		return things[0]
	}
	last := len(things) - 1
	return strings.Join(things[:last], ", ") + " and " + things[last]
}

// places says where pallets stand: "row 7", "rows 7 and 31", and, where there
// are several sheets or packing lists, of which.
func places(e subject, pallets []shipments.Pallet) string {
	sources := make([]shipments.Source, len(pallets))
	for i, p := range pallets {
		sources[i] = p.Source
	}
	return spots(e, sources)
}

// spots says where in documents something stands.
func spots(e subject, sources []shipments.Source) string {
	lists := papersOf(e, shipments.PackingList)
	alike := true // every place is a row of the one table there is
	var rows, full []string
	for _, s := range sources {
		list := slices.IndexFunc(lists, func(doc shipments.Document) bool { return doc.ID == s.Document })
		rows = append(rows, strconv.Itoa(s.Row))
		if list < 0 {
			alike = false
			full = append(full, "one that was loaded without a document")
			continue
		}
		text := "row " + strconv.Itoa(s.Row)
		if len(e.sheets) > 1 || s.Sheet != "" && !e.sheets[s.Sheet] {
			text, alike = text+" of "+sheet(s.Sheet), false
		}
		if len(lists) > 1 {
			text, alike = text+" of "+paper(e, lists[list]), false
		}
		full = append(full, text)
	}
	switch {
	case !alike:
		return listed(full)
	case len(rows) == 1:
		return "row " + rows[0]
	default:
		return "rows " + listed(rows)
	}
}

// sheet names a sheet of a workbook, or a page.
func sheet(name string) string {
	if strings.HasPrefix(name, "page ") {
		return name
	}
	return strconv.Quote(name)
}

// labels names pallets: "0042 (row 7)".
func labels(e subject, pallets []shipments.Pallet) string {
	var all []string
	for _, p := range pallets {
		all = append(all, fmt.Sprintf("%s (%s)", p.Number, places(e, []shipments.Pallet{p})))
	}
	return listed(all)
}

// short cuts details that are longer than a check's can be: texts of documents
// may be long.
func short(details string) string {
	if utf8.RuneCountInString(details) <= shipments.MaxCheckDetails {
		return details
	}
	const more = " …."
	return string([]rune(details)[:shipments.MaxCheckDetails-utf8.RuneCountInString(more)]) + more
}

// sentence makes a sentence of its text.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}
