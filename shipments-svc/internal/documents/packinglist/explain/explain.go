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
	var numbers, remarks strings.Builder
	for _, s := range e.Trace {
		if s.Stage == list.ReconcileStage {
			number(&numbers, s)
		}
	}
	for _, r := range e.Remarks {
		fmt.Fprintf(&remarks, "  %s: %s (%s)\n", place(r.Place), r.Text, r.Rule)
	}
	section(&b, "What the numbers of the list say (points for this reading, or against it)", numbers.String())
	section(&b, "Remarks", remarks.String())
	_, err := io.WriteString(w, b.String())
	return err
}

func section(b *strings.Builder, title, text string) {
	if text != "" {
		fmt.Fprintf(b, "\n%s\n%s", title, text)
	}
}

// table writes how a table was understood.
func (e Explanation) table(b *strings.Builder, m packinglist.Mapping) {
	at := list.Place{Sheet: m.Sheet, Row: m.HeaderRow}
	fmt.Fprintf(b, "\nTable with headings in %s: %s", place(at), m.Layout)
	for _, s := range e.Trace.Of(list.LayoutStage, at) {
		fmt.Fprintf(b, " (%.3g points%s)", s.After, second(s.Rival))
	}
	b.WriteString("\n")
	for _, c := range m.Columns {
		use := "is not used: " + c.Reason
		if c.Used {
			use = "is " + words(c.Field)
			if c.Unit != "" {
				use += " in " + c.Unit
			}
		}
		fmt.Fprintf(b, "  %-2s %s %s\n     values: %s\n", c.Column, cmp.Or(c.Heading, "(no heading)"), use,
			strings.Join(c.Samples, " | "))
		for _, s := range e.Trace.Of(list.MappingStage, c.Place) {
			fmt.Fprintf(b, "     %s, certainty %.2f: %s (rule %s)%s\n", words(s.Field), s.After, s.Note, s.Rule, second(s.Rival))
		}
		for _, a := range c.Alternatives {
			fmt.Fprintf(b, "     or %s, certainty %.2f (rule %s)\n", words(a.Field), a.Score, strings.Join(a.Rules, ", "))
		}
	}
	for _, r := range m.Skipped {
		fmt.Fprintf(b, "  row %d is left out: %s\n", r.Row, r.Reason)
	}
}

// number writes what the numbers of the list say: of a property of its lines, or of a way to read it.
func number(b *strings.Builder, s list.Step) {
	switch {
	case s.Rival != nil:
		chosen := map[bool]string{true: "chosen", false: "not chosen"}[s.Kept]
		fmt.Fprintf(b, "  %s from %s%s: %s, with %+.2f to %+.2f\n", words(s.Field), place(s.Where), s.Note, chosen, s.After,
			s.Rival.Score)
	case s.After == 0:
		fmt.Fprintf(b, "  %s\n", s.Note)
	default:
		fmt.Fprintf(b, "  %s: %+.2f\n", s.Note, s.After)
	}
}

func words(field string) string { return strings.ReplaceAll(field, "_", " ") }

func second(r *list.Rival) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("; %s has %.2f", place(r.Where), r.Score)
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
