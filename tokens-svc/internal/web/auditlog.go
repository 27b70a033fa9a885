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

// eventList is the page Settings › Audit log.
type eventList struct {
	Rows  []eventRow
	Text  string // that was searched
	Pages pages.Pager
}

func (s *site) listEvents(ctx context.Context, v *visit) (answer, error) {
	p, text := pageOf(v), strings.TrimSpace(v.Form.Get("q"))
	events, total, err := s.Tokens.AuditEvents(ctx, v.principal(), v.org(), tokens.AuditQuery{Text: text}, p)
	list := eventList{Rows: eventRows(events, s.Tokens.Now()), Text: text, Pages: pagesOf(v, p, total)}
	return page("audit-log", "Audit log", list).in("audit-log"), err
}
