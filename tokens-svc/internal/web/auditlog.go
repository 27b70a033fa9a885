package web

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// eventRow is an event in the list.
type eventRow struct{ audit.Event }

// Text returns the action's name.
func (r eventRow) Text() string { return words(string(r.Action)) }

// Subject is the name of the event's target.
func (r eventRow) Subject() string { return cmp.Or(r.Details["name"], r.Details["email"], r.Target) }

// More returns the other details, sorted by name.
func (r eventRow) More() (more []struct{ Name, Text string }) {
	for _, name := range slices.Sorted(maps.Keys(r.Details)) {
		if text := r.Details[name]; text != "" && text != r.Subject() {
			more = append(more, struct{ Name, Text string }{words(name), text})
		}
	}
	return more
}

// eventList is the page Settings › Audit log.
type eventList struct {
	Rows  []eventRow
	Text  string // that was searched
	Pages pages.Pager
}

func (s *site) listEvents(ctx context.Context, v *visit) (answer, error) {
	p, list := pageOf(v), eventList{Text: strings.TrimSpace(v.Form.Get("q"))}
	events, total, err := s.Tokens.AuditEvents(ctx, v.principal(), v.org(), list.Text, p)
	if err != nil {
		return answer{}, err
	}
	for _, e := range events {
		list.Rows = append(list.Rows, eventRow{e})
	}
	list.Pages = pagesOf(v, p, total)
	return page("audit-log", "Audit log", list).in("audit-log"), nil
}
