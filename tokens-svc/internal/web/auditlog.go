package web

import (
	"cmp"
	"context"
	"maps"
	"net/url"
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
	Rows                    []eventRow
	Text, Action, Actor     string
	From, To                string // days, the last one included
	Actions                 []audit.Action
	Filtered                bool
	CSVAddress, JSONAddress string // of the same events
	Pages                   pages.Pager
}

// eventList reads the filter.
func (s *site) eventList(v *visit) (eventList, tokens.AuditQuery) {
	list := eventList{
		Text: strings.TrimSpace(v.Form.Get("q")), Action: v.Form.Get("action"), Actor: strings.TrimSpace(v.Form.Get("actor")),
		From: v.Form.Get("from"), To: v.Form.Get("to"), Actions: audit.Actions(),
	}
	q := tokens.AuditQuery{Text: list.Text, Action: audit.Action(list.Action), Actor: list.Actor}
	if q.Action != "" && !slices.Contains(list.Actions, q.Action) {
		list.Add("action", "Choose an action of the list.")
	}
	q.From = list.day("from", list.From)
	if to := list.day("to", list.To); !to.IsZero() {
		q.Before = to.Add(day)
	}
	list.Filtered = q != (tokens.AuditQuery{})
	list.CSVAddress, list.JSONAddress = list.export("csv"), list.export("json")
	return list, q
}

// day reads a day of the filter.
func (l *eventList) day(field, text string) time.Time {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil && text != "" {
		l.Add(field, "Enter a day such as 2026-11-30.")
	}
	return at
}

func (l eventList) export(format string) string {
	return "?" + url.Values{
		"q": {l.Text}, "action": {l.Action}, "actor": {l.Actor}, "from": {l.From}, "to": {l.To}, "format": {format},
	}.Encode()
}

func (s *site) listEvents(ctx context.Context, v *visit) (answer, error) {
	list, query := s.eventList(v)
	format := v.Form.Get("format")
	write, export := exports[format]
	if format != "" && !export {
		list.Add("filter", "Choose CSV or JSON to export.")
	}
	switch {
	case list.Faults != nil:
		return page("audit-log", "Audit log", list).in("audit-log"), nil
	case export:
		return s.exportEvents(v, query, write)
	}
	p := pageOf(v)
	events, total, err := s.Tokens.AuditEvents(ctx, v.principal(), v.org(), query, p)
	if err != nil {
		return answer{}, err
	}
	list.Rows, list.Pages = eventRows(events, s.Tokens.Now()), pagesOf(v, p, total)
	return page("audit-log", "Audit log", list).in("audit-log"), nil
}
