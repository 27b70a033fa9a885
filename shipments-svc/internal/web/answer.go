package web

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// answer is the response of a route: a page, a redirect or a file.
type answer struct {
	status   int
	template string
	title    string
	data     any
	to       string
	send     func(http.ResponseWriter) error // sends a file; an error means that nothing was sent
	release  func()                          // called when it was sent; nil: nothing to do
}

func page(template, title string, data any) answer {
	return answer{status: pages.Status(data), template: template, title: title, data: data}
}

// as gives the page another status.
func (a answer) as(status int) answer {
	a.status = status
	return a
}

// redirect sends the browser to another page with GET, which says what was done: one of
// notices.
func redirect(to, done string) answer {
	if done != "" {
		separator := "?"
		if strings.Contains(to, "?") {
			separator = "&"
		}
		to += separator + "done=" + done
	}
	return answer{status: http.StatusSeeOther, to: to}
}

// notices say what was done, by the parameter done.
var notices = map[string]string{
	"created":      "The shipment was created. Attach its packing list next.",
	"attached":     "The document was attached.",
	"attached-all": "The documents were attached.",
	"deleted":      "The document was deleted.",
	"removed":      "The shipment was deleted.",
	"changed":      "The shipment was saved, and checked again.",
	"commented":    "The comment was added.",
	"retyped":      "The document has another type.",
	"reprocessed":  "The document is being read again.",
	"renamed":      "The template was renamed.",
	"forgotten":    "The template was deleted.",

	"approved":      "The shipment was approved.",
	"approved-next": "The shipment was approved. This is the next that waits for your review.",
	"rejected":      "The shipment was rejected.",
	"rejected-next": "The shipment was rejected. This is the next that waits for your review.",

	"saved":            "The endpoint was saved.",
	"lost":             "Nothing was saved while you confirmed that it's you. Enter it again.",
	"tested":           "A test is being sent. Reload to see whether it arrived.",
	"replayed":         "The event is being sent again. Reload to see whether it arrived.",
	"endpoint-deleted": "The endpoint was deleted.",
}

// view is the data of templates.
type view struct {
	pages.Frame
	Base      string // the address of the organization's shipments
	List      string // and of their list
	Hooks     string // and of its webhooks
	Data      any
	RequestID string
	now       time.Time
}

// Moment is for templates: it shows a time as seen from now.
func (v view) Moment(t time.Time) pages.Moment { return pages.Moment{At: t, Now: v.now} }

func (s *site) write(w http.ResponseWriter, r *http.Request, v *visit, a answer) {
	if a.release != nil {
		defer a.release()
	}
	switch {
	case a.send != nil:
		if err := a.send(w); err != nil {
			s.write(w, r, v, s.errorAnswer(r.Context(), v, err))
		}
		return
	case a.to != "":
		http.Redirect(w, r, a.to, a.status)
		return
	case a.status == httpserver.StatusClientGone:
		w.WriteHeader(a.status)
		return
	}
	all := view{Frame: pages.Frame{Title: a.title}, Data: a.data, RequestID: requestid.Of(r), now: s.Now()}
	if v != nil {
		all.Base, all.List, all.Hooks, all.Test = v.path(), v.list(), v.hooks(), v.test
		if sameOrigin(r) {
			all.Notice = notices[r.URL.Query().Get("done")]
		}
		all.Account = &pages.Account{Name: v.person.UserName}
		all.Organization = &pages.Organization{Name: v.person.OrganizationName}
		all.Tabs = s.Sections.Of(v.person.Organization, r.URL.Path, v.person.Permissions)
	}
	if err := s.pages.Write(transport.Paced(w), a.status, a.template, all); err != nil {
		s.Log.LogAttrs(r.Context(), slog.LevelError, "a page was not rendered",
			slog.String("error", err.Error()), slog.String("request_id", requestid.Of(r)))
	}
}

// sameOrigin reports whether the request comes from a page of this origin, and not from a link
// elsewhere, which could forge a notice. Browsers send Sec-Fetch-Site over https and to localhost.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	from, err := url.Parse(r.Referer())
	return err == nil && from.Host == r.Host
}

// errorPage returns the page of a status.
func errorPage(status int) answer {
	p, _ := pages.ProblemOf(status)
	return page("error", p.Heading, p).as(status)
}

// problemTexts say what can be done, by the code of a problem: the API's texts are for
// programs.
var problemTexts = map[string]string{
	"etag_mismatch":              "Nothing was done: your page showed another version. Open it again and look at it.",
	"invalid_transition":         "The shipment's status does not allow this now. Open it again to see what is possible.",
	"not_reprocessable":          "The document has no file that is read.",
	"unsupported_media_type":     "Use the form on the page.",
	"idempotency_in_progress":    "The form is being processed. Wait a few seconds and look whether it took effect.",
	"too_many_mapping_templates": "The organization has as many templates as are possible. Delete one first.",
	"too_many_webhook_endpoints": "The organization has as many endpoints as are possible. Delete one first.",
	"search_too_broad":           "More than 10,000 shipments or pallets match. Type more of what you look for.",
	"too_many_webhook_secrets":   "The endpoint has as many secrets as are possible. Try again tomorrow.",
	"webhook_endpoint_disabled":  "Nothing is sent to an endpoint that is disabled. Enable it first.",
}

// errorAnswer returns the page of an error of the domain.
func (s *site) errorAnswer(ctx context.Context, v *visit, err error) answer {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return answer{status: httpserver.StatusClientGone}
	case errors.Is(err, errForm):
		return errorPage(http.StatusBadRequest)
	}
	if wrong, ok := errors.AsType[*query.Error](err); ok && len(wrong.Faults) > 0 {
		shown, _ := pages.ProblemOf(http.StatusBadRequest)
		shown.Text = spell(wrong.Faults[0].Parameter, wrong.Faults[0].Detail)
		return page("error", shown.Heading, shown).as(http.StatusBadRequest)
	}
	p := transport.Problem(err)
	switch p.Status {
	case http.StatusTooManyRequests:
		v.writer.Header().Set("Retry-After", strconv.Itoa(p.RetryAfter))
	case http.StatusServiceUnavailable:
		httpserver.Explain(v.writer, err)
	case http.StatusInternalServerError:
		s.Log.LogAttrs(ctx, slog.LevelError, "unforeseen error",
			slog.String("error", err.Error()), slog.String("request_id", requestid.Of(v.Request)))
	}
	if _, known := pages.ProblemOf(p.Status); known {
		return errorPage(p.Status)
	}
	shown := pages.Problem{
		Heading: p.Title, Text: cmp.Or(problemTexts[p.Code], "Nothing was done. Go back, reload the page and try again."),
	}
	switch p.Status {
	case http.StatusPreconditionFailed:
		shown.Heading = "It was changed meanwhile"
	case http.StatusConflict:
		shown.Heading = "Not possible now"
	}
	return page("error", shown.Heading, shown).as(p.Status)
}

// broken answers a request that ended in a panic.
func (s *site) broken(w http.ResponseWriter, r *http.Request) {
	s.write(w, r, nil, errorPage(http.StatusInternalServerError))
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// functions are those of templates.
var functions = template.FuncMap{
	"words": words, "kg": list.Grams.Figure, "figure": list.Figure, "sum": sum, "why": why, "label": label,
	"stated": stated, "counted": counted, "args": func(all ...any) []any { return all },
	"shipment": transport.ShipmentIDs.Format, "webhook": transport.WebhookIDs.Format,
	"event": transport.EventIDs.Format, "mapping": transport.TemplateIDs.Format,
	"sentence": problem.Sentence, "suggests": func(t shipments.DocumentType) string { return shipments.FileNames[t] },
}
