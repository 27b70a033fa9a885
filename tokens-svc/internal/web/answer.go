package web

import (
	"embed"
	"encoding/json"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// answer is the response of a route: a page, a redirect or JSON.
type answer struct {
	status   int
	template string // the page's file, without its extension
	title    string
	data     any    // for the template
	to       string // a redirect's aim
	json     any
	stream   func(http.ResponseWriter, *http.Request) // writes a response of any length
	// holdsSecret marks a response with a secret that cannot be shown again: it must be sent.
	holdsSecret bool
	// retryAfter is for 429 and 503.
	retryAfter time.Duration
}

func page(template, title string, data any) answer {
	return answer{status: pages.Status(data), template: template, title: title, data: data}
}

// as gives the page another status.
func (a answer) as(status int) answer {
	a.status = status
	return a
}

// redirect sends the browser to another page with GET.
func redirect(to string) answer { return answer{status: http.StatusSeeOther, to: to} }

// view is the data of templates.
type view struct {
	pages.Frame
	people.Standing // zero: not signed in

	Now         time.Time
	May         tokens.Principal // in the organization at hand
	Permissions *tokens.Catalogue
	RequestID   string
	Data        any
}

func (s *site) write(w http.ResponseWriter, r *http.Request, a answer) {
	switch {
	case a.stream != nil:
		a.stream(w, r)
		return
	case a.to != "":
		http.Redirect(w, r, a.to, a.status)
		return
	case a.json != nil:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.status)
		_ = json.NewEncoder(w).Encode(a.json) // fails only if the client is gone
		return
	}
	if a.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(a.retryAfter.Seconds())))
	}
	if err := set.Write(w, a.status, a.template, s.view(r, visitOf(r), a)); err != nil {
		s.Log.LogAttrs(r.Context(), slog.LevelError, "a page was not rendered",
			slog.String("error", err.Error()), slog.String("request_id", requestid.Of(r)))
	}
}

func (s *site) view(r *http.Request, v *visit, a answer) view {
	all := view{
		Frame: pages.Frame{Title: a.title, Notice: v.notice}, Standing: v.person, Now: s.Tokens.Now(),
		RequestID: requestid.Of(r), Data: a.data, Permissions: s.Tokens.Permissions(),
	}
	if v.person.ID != "" {
		all.Account = &pages.Account{Name: v.person.Display(), Email: v.person.Email}
	}
	if v.person.Membership.Role != "" {
		all.May = v.principal()
		all.Organization = &pages.Organization{Name: v.person.Membership.Organization.Name}
		held := tokens.Texts(all.Permissions.Held(v.person.Membership.Role))
		all.Tabs = s.Sections.Of(string(v.org()), r.URL.Path, held)
	}
	return all
}

// Grants is for templates: it summarizes what a token was granted.
func (v view) Grants(t tokens.Token) string {
	for _, p := range v.Permissions.Presets() {
		if slices.Equal(p.Permissions, t.Permissions) {
			return p.Name
		}
	}
	return strings.Join(tokens.Texts(t.Permissions), ", ")
}

// Allows is for templates: it reports whether a token may use a permission that it was granted.
func (v view) Allows(t tokens.Token, p tokens.Permission) bool {
	return slices.Contains(v.Permissions.Effective(t), p)
}

// Limited is for templates: it reports whether a token may do less than it was granted, because of its owner's role.
func (v view) Limited(t tokens.Token) bool {
	return len(v.Permissions.Effective(t)) < len(v.Permissions.Expand(t.Permissions))
}

// Moment is for templates: it shows a time as seen from now.
func (v view) Moment(t time.Time) moment { return moment{At: t, Now: v.Now} }

//go:embed templates
var templateFiles embed.FS

// staticPath is the prefix of the static files.
const staticPath = "/settings/static/"

// set is the pages by name.
var set = readTemplates()

func readTemplates() *pages.Set {
	files, err := fs.Sub(templateFiles, "templates")
	if err != nil {
		panic(err) // the program was built without them
	}
	set, err := pages.New(files, staticPath, template.FuncMap{
		"roleName": roleName, "roleText": tokens.Role.Text, "public": public, "words": words, "scrub": tokens.Scrub,
		"statusText": http.StatusText, "browser": browserName, "signIn": signInText, "subject": subject,
		"details": otherDetails,
	})
	if err != nil {
		panic(err) // likewise
	}
	return set
}
