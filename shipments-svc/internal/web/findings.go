package web

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// checkRow is a check with links to what it found.
type checkRow struct {
	shipments.Check
	Basis  string // the standard that it compares with; "": none
	Places []pages.Link
}

// checkRows are checks, failing first.
type checkRows []checkRow

// With returns the rows with one of the results.
func (rows checkRows) With(results ...shipments.Result) checkRows {
	return slices.DeleteFunc(slices.Clone(rows), func(r checkRow) bool { return !slices.Contains(results, r.Result) })
}

// order is that of results on the page.
var order = []shipments.Result{shipments.Fail, shipments.Warn, shipments.Pass, shipments.Skip}

// palletRow is a pallet with the worst result of the checks that name it.
type palletRow struct {
	shipments.Pallet
	ID     string           // of the row
	To     string           // its place in the document; "": none is shown
	Result shipments.Result // fail or warn; "": no check names it
}

// foundIn returns a check that found something in a document, with these places only, and whether it did.
func foundIn(c shipments.Check, document shipments.DocumentID) (shipments.Check, bool) {
	c.Locations = slices.DeleteFunc(slices.Clone(c.Locations), func(l shipments.Location) bool {
		return l.Document != document
	})
	return c, needsAcceptance(c) && len(c.Locations) > 0
}

// placesOf is where links lead.
type placesOf struct {
	files, names map[shipments.DocumentID]string // the addresses of documents that are shown, and their names
	pallets      string                          // the address of the first pallet, without its number
}

// To returns the address of a place in a document, or "".
func (p placesOf) To(at shipments.Source) string {
	file := p.files[at.Document]
	if file == "" || at.Row == 0 {
		return file
	}
	row := number(int64(at.Row))
	return file + "?" + url.Values{"sheet": {at.Sheet}, "row": {row}}.Encode() + "#row-" + row
}

// findings returns checks, failing first, with links to the place in the document, or else to the pallet that was read
// there; and the pallets, marked.
func (p placesOf) findings(found []shipments.Check, pallets []shipments.Pallet) (rows checkRows, marked []palletRow) {
	at := map[shipments.Source]int{}
	_, id, _ := strings.Cut(p.pallets, "#")
	for i, pallet := range pallets {
		marked = append(marked, palletRow{Pallet: pallet, ID: id + number(int64(i)), To: p.To(pallet.Source)})
		at[pallet.Source] = i
		for _, c := range pallet.Contents {
			at[shipments.Source{Document: pallet.Document, Sheet: c.Sheet, Row: c.Row}] = i
		}
	}
	for _, c := range found {
		row := checkRow{Check: c}
		row.Details, row.Basis, _ = strings.Cut(c.Details, " Basis: ")
		for _, l := range c.Locations {
			where := pages.Link{Text: locationText(l, p.names[l.Document]), To: p.To(l.Source)}
			if i, ok := at[l.Source]; ok && l.Row > 0 {
				where.To = cmp.Or(where.To, p.pallets+number(int64(i)))
				if c.Result == shipments.Fail || c.Result == shipments.Warn && marked[i].Result == "" {
					marked[i].Result = c.Result
				}
			}
			if where.Text != "" {
				row.Places = append(row.Places, where)
			}
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b checkRow) int {
		return cmp.Compare(slices.Index(order, a.Result), slices.Index(order, b.Result))
	})
	return rows, marked
}

// locationText says where something was found: "pallet P1, row 7 of Sheet1, list.xlsx".
func locationText(l shipments.Location, document string) string {
	var parts []string
	if l.PalletNumber != "" {
		parts = append(parts, "pallet "+l.PalletNumber)
	}
	if l.Row > 0 {
		row := "row " + number(int64(l.Row))
		if l.Sheet != "" {
			row += " of " + l.Sheet
		}
		parts = append(parts, row)
	}
	if document != "" {
		parts = append(parts, document)
	}
	return strings.Join(parts, ", ")
}
