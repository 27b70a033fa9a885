// Package explain writes how a packing list was understood, and why, for people: its tables with the columns, their
// first values and what came second, the rows that were left out, and the totals that agree.
package explain

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// Explanation is a reading, or the error of one, in the form of JSON.
type Explanation struct {
	packinglist.Reading
	Trace   list.Trace
	Refused string `json:",omitempty"`
}

// Of returns the explanation of the result of reading a list. An error that says nothing of the list is returned.
func Of(read packinglist.Reading, err error) (Explanation, error) {
	if bad, ok := errors.AsType[*packinglist.Unreadable](err); ok {
		read.Mappings, read.Trace = bad.Mappings, bad.Trace
		return Explanation{Reading: read, Trace: bad.Trace, Refused: bad.Error()}, nil
	}
	return Explanation{Reading: read, Trace: read.Trace}, err
}

// Write writes the explanation as a text.
func (e Explanation) Write(w io.Writer) error {
	var b strings.Builder
	boxes := 0
	for _, p := range e.Pallets {
		boxes += p.Boxes
	}
	fmt.Fprintf(&b, "%d pallets with %d boxes\n", len(e.Pallets), boxes)
	if e.Refused != "" {
		b.Reset()
		fmt.Fprintf(&b, "Refused: %s\n", e.Refused)
	}
	for _, m := range e.Mappings {
		e.table(&b, m)
	}
	b.WriteString("\nWhat the numbers say (score, for or against)\n")
	for _, s := range e.Trace {
		if s.Stage == list.ReconcileStage {
			e.number(&b, s)
		}
	}
	if len(e.Remarks) > 0 {
		b.WriteString("\nRemarks\n")
	}
	for _, r := range e.Remarks {
		fmt.Fprintf(&b, "  %s: %s (%s)\n", place(r.Place), r.Text, r.Rule)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// table writes how a table was understood.
func (e Explanation) table(b *strings.Builder, m packinglist.Mapping) {
	at := list.Place{Sheet: m.Sheet, Row: m.HeaderRow}
	fmt.Fprintf(b, "\nTable with headings in %s: %s", place(at), m.Layout)
	for _, s := range e.Trace.Of(list.LayoutStage, at) {
		fmt.Fprintf(b, " (score %.3g%s)", s.After, second(s.Rival))
	}
	b.WriteString("\n")
	for _, c := range m.Columns {
		use := "is not used: " + c.Reason
		if c.Used {
			use = "is " + strings.ReplaceAll(c.Field, "_", " ")
			if c.Unit != "" {
				use += " in " + c.Unit
			}
		}
		fmt.Fprintf(b, "  %-2s %s %s\n     values: %s\n", c.Column, cmp.Or(c.Heading, "(no heading)"), use,
			strings.Join(c.Samples, " | "))
		for _, s := range e.Trace.Of(list.MappingStage, c.Place) {
			fmt.Fprintf(b, "     %s %.2f → %.2f by %s%s%s\n", s.Field, s.Before, s.After, s.Rule, note(s.Note), second(s.Rival))
		}
		for _, a := range c.Alternatives {
			fmt.Fprintf(b, "     second: %s %.2f by %s\n", a.Field, a.Score, strings.Join(a.Rules, ", "))
		}
	}
	for _, r := range m.Skipped {
		fmt.Fprintf(b, "  row %d is left out: %s\n", r.Row, r.Reason)
	}
}

// number writes what the numbers of the list say.
func (e Explanation) number(b *strings.Builder, s list.Step) {
	field := ""
	if s.Field != "" {
		field = fmt.Sprintf(" for %s from %s", s.Field, place(s.Where))
	}
	sign := "  "
	if !s.Kept {
		sign = "× "
	}
	fmt.Fprintf(b, "  %s%s%s %+.2f%s%s\n", sign, s.Rule, field, s.After, note(s.Note), second(s.Rival))
}

func note(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

func second(r *list.Rival) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("; second %s with %.2f", place(r.Where), r.Score)
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
