package web

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// eventRow is an event in a list.
type eventRow struct {
	audit.Event
	Time moment
}

// Text returns the action's name.
func (r eventRow) Text() string { return words(string(r.Action)) }

// Subject is the name of the event's target.
func (r eventRow) Subject() string { return cmp.Or(r.Details["name"], r.Details["email"], r.Target) }

// More returns the other details, sorted by name.
func (r eventRow) More() (more []struct{ Name, Text string }) {
	for _, name := range slices.Sorted(maps.Keys(r.Details)) {
		if text := r.Details[name]; text != "" && text != r.Subject() {
			more = append(more, struct{ Name, Text string }{label(name), detailText(name, text)})
		}
	}
	return more
}

// label is the name of a detail in words.
func label(name string) string {
	name, before := strings.CutSuffix(name, "_before")
	text := cmp.Or(labels[name], words(name))
	if before {
		text += " before"
	}
	return text
}

// detailText is the value of a detail for people.
func detailText(name, text string) string {
	at, err := time.Parse(time.RFC3339, text)
	switch {
	case err == nil:
		return moment{At: at}.Minute()
	case name == "environment":
		return words(text)
	}
	return text
}

// eventRows returns events as rows.
func eventRows(events []audit.Event, now time.Time) (rows []eventRow) {
	for _, e := range events {
		rows = append(rows, eventRow{e, moment{At: e.At, Now: now}})
	}
	return rows
}

// eventList is the page Settings › Audit log, with its filter as it was filled in.
type eventList struct {
	pages.Faults
	Rows     []eventRow
	Text     string
	From, To string // days, the last one included
	Filtered bool
	Pages    pages.Pager
}

// day reads a day of the filter.
func (l *eventList) day(field, text string) time.Time {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil && text != "" {
		l.Add(field, "Enter a day such as 2026-11-30.")
	}
	return at
}

func (s *site) listEvents(ctx context.Context, v *visit) (answer, error) {
	list := &eventList{Text: strings.TrimSpace(v.Form.Get("q")), From: v.Form.Get("from"), To: v.Form.Get("to")}
	query := tokens.AuditQuery{Text: list.Text, From: list.day("from", list.From)}
	if to := list.day("to", list.To); !to.IsZero() {
		query.Before = to.Add(day)
	}
	list.Filtered = query != (tokens.AuditQuery{})
	if list.Faults == nil {
		p := pageOf(v)
		events, total, err := s.Tokens.AuditEvents(ctx, v.principal(), v.org(), query, p)
		if err != nil {
			return answer{}, err
		}
		list.Rows, list.Pages = eventRows(events, s.Tokens.Now()), pagesOf(v, p, total)
	}
	return page("audit-log", "Audit log", list).in("audit-log"), nil
}
