package checks

import (
	"fmt"
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
// are several packing lists, of which.
func places(e shipments.Evidence, pallets []shipments.Pallet) string {
	number := map[shipments.DocumentID]int{}
	for i, doc := range e.Documents {
		number[doc.ID] = i + 1
	}
	var rows, full []string
	for _, p := range pallets {
		row, list := strconv.Itoa(p.Source.Row), number[p.Source.Document]
		rows = append(rows, row)
		if list == 0 {
			full = append(full, "one that was loaded without a document")
		} else {
			full = append(full, fmt.Sprintf("row %s of packing list %d", row, list))
		}
	}
	for _, p := range pallets {
		if len(number) != 1 || number[p.Source.Document] == 0 {
			return listed(full)
		}
	}
	if len(rows) == 1 {
		return "row " + rows[0]
	}
	return "rows " + listed(rows)
}

// labels names pallets: "0042 (row 7)".
func labels(e shipments.Evidence, pallets []shipments.Pallet) string {
	var all []string
	for _, p := range pallets {
		all = append(all, fmt.Sprintf("%s (%s)", p.Number, places(e, []shipments.Pallet{p})))
	}
	return listed(all)
}

// sentence makes a sentence of its text.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}
