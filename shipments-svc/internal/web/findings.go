package web

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/checks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// checkRow is a check with links to what it found.
type checkRow struct {
	shipments.Check
	Basis  string // the standard that it compares with; "": none
	Places []link
}

// checkRows are checks, failing first, and last those that could not be made.
type checkRows []checkRow

func (rows checkRows) Made() checkRows    { return rows[:rows.made()] }
func (rows checkRows) Skipped() checkRows { return rows[rows.made():] }

func (rows checkRows) made() int {
	at := slices.IndexFunc(rows, func(r checkRow) bool { return r.Result == shipments.Skip })
	if at < 0 {
		return len(rows)
	}
	return at
}

// link leads to where a check found something.
type link struct{ Text, To string }

// order is that of results on the page.
var order = []shipments.Result{shipments.Fail, shipments.Warn, shipments.Pass, shipments.Skip}

// palletRow is a pallet with the worst result of the checks that name it.
type palletRow struct {
	shipments.Pallet
	ID     string           // of the row
	To     string           // its place in the document; "": none is shown
	Result shipments.Result // fail or warn; "": no check names it
}

// placesOf is where links lead.
type placesOf struct {
	pallets string                          // the address of the page with the pallets; "": this one
	prefix  string                          // of the ids of their rows
	file    map[shipments.DocumentID]string // addresses of the documents that are shown
	names   map[shipments.DocumentID]string
}

// to returns the address of a place in a document, or "".
func (p placesOf) to(at shipments.Source) string {
	file := p.file[at.Document]
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
	for i, pallet := range pallets {
		row := palletRow{Pallet: pallet, ID: cmp.Or(p.prefix, "pallet-") + number(int64(i)), To: p.to(pallet.Source)}
		marked = append(marked, row)
		at[pallet.Source] = i
		for _, c := range pallet.Contents {
			at[shipments.Source{Document: pallet.Document, Sheet: c.Sheet, Row: c.Row}] = i
		}
	}
	for _, c := range found {
		row := checkRow{Check: c}
		row.Details, row.Basis = checks.Basis(c)
		for _, l := range c.Locations {
			where := link{locationText(l, p.names[l.Document]), p.to(l.Source)}
			if i, ok := at[l.Source]; ok && l.Row > 0 {
				where.To = cmp.Or(where.To, p.pallets+"#"+marked[i].ID)
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

// produceRow is what a shipment has of a produce.
type produceRow struct {
	Name           string
	Pallets, Boxes int
	Weight         list.Grams
}

// maxProduce is how many produces are added up; the others are one row.
const maxProduce = 8

// totals returns the sums of pallets by their produce, in the order in which it appears.
func totals(pallets []shipments.Pallet) (all []produceRow) {
	for _, p := range pallets {
		name := cmp.Or(p.ProduceName, "Several or unknown")
		i := slices.IndexFunc(all, func(r produceRow) bool { return r.Name == name })
		if i < 0 && len(all) == maxProduce {
			i = maxProduce - 1
			all[i].Name = "Others"
		} else if i < 0 {
			i, all = len(all), append(all, produceRow{Name: name})
		}
		all[i].Pallets, all[i].Boxes, all[i].Weight = all[i].Pallets+1, all[i].Boxes+p.Boxes, all[i].Weight+p.Net()
	}
	return all
}
