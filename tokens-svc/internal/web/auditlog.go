package web

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// subject is the name of an event's target.
func subject(e audit.Event) string { return cmp.Or(e.Details["name"], e.Details["email"], e.Target) }

// otherDetails returns the other details of an event, sorted by name.
func otherDetails(e audit.Event) (all []struct{ Name, Text string }) {
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		if text := e.Details[name]; text != "" && text != subject(e) {
			all = append(all, struct{ Name, Text string }{label(name), detailText(name, text)})
		}
	}
	return all
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

// eventList is the page Settings › Audit log.
type eventList struct {
	Events   []audit.Event
	Filter   url.Values // as it was filled in
	Filtered bool
	Older    moment // the newest event that was not searched; zero: all were
	Actions  []audit.Action
	Pages    pages.Pager
}

func (s *site) listEvents(ctx context.Context, v *visit) (answer, error) {
	q, err := eventQuery(v.Request)
	if err != nil {
		return answer{}, err
	}
	if format, ok := exportFormats[v.Form.Get("format")]; ok {
		return s.exportEvents(v, q, format), nil
	}
	p := pageOf(v)
	found, err := s.Tokens.AuditEvents(ctx, v.principal(), v.org(), q, p)
	list := eventList{
		Events: found.Events, Filter: v.Form, Filtered: q != (tokens.AuditQuery{}),
		Actions: audit.Actions(), Older: moment{At: found.Older, Now: s.Tokens.Now()},
		Pages: pagesOf(v, p, found.Total),
	}
	return page("audit-log", "Audit log", list), err
}

// eventQuery reads a filter. Both of its days are part of what is selected.
func eventQuery(r *http.Request) (tokens.AuditQuery, error) {
	p := query.Read(r)
	return tokens.AuditQuery{
		Text: strings.TrimSpace(r.Form.Get("q")), Actor: strings.TrimSpace(r.Form.Get("actor")),
		Action: audit.Action(r.Form.Get("action")),
		From:   *cmp.Or(p.Day("from", 0), &time.Time{}), Before: *cmp.Or(p.Day("to", day), &time.Time{}),
	}, p.ErrOfRead()
}
