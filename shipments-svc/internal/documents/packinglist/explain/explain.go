// Package explain writes how a packing list was understood, and why, for people: its tables with the columns, their
// first values and what came second, the rows that were left out, and the totals that agree.
package explain

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// Explanation is a reading, or the error of one, in the form of JSON.
type Explanation struct {
	packinglist.Reading
	Trace   list.Trace `json:"trace"`
	Refused string     `json:"refused,omitempty"`
}

// Of returns the explanation of the result of reading a list. An error that says nothing of the list is returned.
func Of(read packinglist.Reading, err error) (Explanation, error) {
	if bad, ok := errors.AsType[*packinglist.Unreadable](err); ok {
		read.Mappings, read.Trace = bad.Mappings, bad.Trace
		return Explanation{Reading: read, Trace: bad.Trace, Refused: bad.Error()}, nil
	}
	return Explanation{Reading: read, Trace: read.Trace}, err
}

//go:embed explain.tmpl
var text string

var page = template.Must(template.New("").Funcs(template.FuncMap{
	"place": place, "join": strings.Join, "words": func(s string) string { return strings.ReplaceAll(s, "_", " ") },
}).Parse(text))

// Write writes the explanation as a text.
func (e Explanation) Write(w io.Writer) error { return page.Execute(w, e) }

// Boxes returns the boxes of all pallets.
func (e Explanation) Boxes() (sum int) {
	for _, p := range e.Pallets {
		sum += p.Boxes
	}
	return sum
}

// Numbers returns the steps by which the numbers of the list decided.
func (e Explanation) Numbers() list.Trace {
	other := func(s list.Step) bool { return s.Stage != list.ReconcileStage }
	return slices.DeleteFunc(slices.Clone(e.Trace), other)
}

// place names a place.
func place(p list.Place) string {
	var all []string
	if p.Sheet != "" {
		all = append(all, p.Sheet)
	}
	if p.Row > 0 {
		all = append(all, fmt.Sprintf("row %d", p.Row))
	}
	if p.Column > 0 {
		all = append(all, "column "+tables.ColumnName(p.Column))
	}
	return cmp.Or(strings.Join(all, ", "), "the list")
}
