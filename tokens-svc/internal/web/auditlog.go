package web

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/httpserver"
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
	Rows                []eventRow
	Text, Action, Actor string
	From, To            string // days, the last one included
	Actions             []audit.Action
	Filtered            bool
	CSVAddress          string // of the same events
	Pages               pages.Pager
}

// eventList reads the filter.
func (s *site) eventList(v *visit) (*eventList, tokens.AuditQuery) {
	list := &eventList{
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
	list.CSVAddress = "?" + url.Values{
		"q": {list.Text}, "action": {list.Action}, "actor": {list.Actor}, "from": {list.From}, "to": {list.To},
		"format": {"csv"},
	}.Encode()
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

func (s *site) listEvents(ctx context.Context, v *visit) (answer, error) {
	list, query := s.eventList(v)
	switch {
	case list.Faults != nil:
	case v.Form.Get("format") == "csv":
		return s.exportEvents(v, query), nil
	default:
		p := pageOf(v)
		events, total, err := s.Tokens.AuditEvents(ctx, v.principal(), v.org(), query, p)
		if err != nil {
			return answer{}, err
		}
		list.Rows, list.Pages = eventRows(events, s.Tokens.Now()), pagesOf(v, p, total)
	}
	return page("audit-log", "Audit log", list).in("audit-log"), nil
}

// exportTimeout is how long an export may take at most.
const exportTimeout = 10 * time.Minute

// exportEvents sends the selected events as they are read, so that a long log takes no memory.
// An error on the way aborts the response: a client sees that the file is not complete.
func (s *site) exportEvents(v *visit, q tokens.AuditQuery) answer {
	principal, org := v.principal(), v.org()
	return answer{stream: func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), exportTimeout)
		defer cancel()
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(exportTimeout)) // a recorder in tests has none
		events, err := s.Tokens.AllAuditEvents(ctx, principal, org, q)
		if err == nil {
			w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			w.Header().Set("Content-Disposition", `attachment; filename="audit-log-`+string(org)+`.csv"`)
			err = writeCSV(w, events)
		}
		if err != nil {
			httpserver.Explain(w, err)
			panic(http.ErrAbortHandler)
		}
	}}
}

func writeCSV(w io.Writer, events iter.Seq2[audit.Event, error]) error {
	table := csv.NewWriter(w)
	err := table.Write([]string{
		"sequence", "at", "action", "target", "details", "actor_kind", "actor_id", "actor_name", "address", "request_id",
		"previous_hash", "hash",
	})
	for e, failed := range events {
		if err = cmp.Or(err, failed); err != nil {
			return err
		}
		err = table.Write(csvRow(e))
	}
	table.Flush()
	return cmp.Or(err, table.Error())
}

func csvRow(e audit.Event) []string {
	details, _ := json.Marshal(e.Details)       // texts are always JSON
	address, _ := e.Actor.Address.MarshalText() // "" if it is not known
	row := []string{
		strconv.FormatInt(e.Sequence, 10), e.Instant(), string(e.Action), e.Target, string(details),
		string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, string(address), e.Actor.RequestID,
		e.Previous.String(), e.Hash.String(),
	}
	for i, text := range row {
		if strings.IndexAny(text, "=+-@\t\r") == 0 {
			row[i] = "'" + text // a spreadsheet would take it for a formula
		}
	}
	return row
}
