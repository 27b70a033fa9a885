package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/oidc"
	"github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// keyNotice is the session key of the notice for the next page.
const keyNotice = "notice"

// maxHashes is how many passwords a request computes at most.
const maxHashes = 3

// serve handles the requests of a route: it authenticates the user, runs the route,
// saves the session and then writes the response.
func (s *site) serve(rt route) http.Handler {
	// Statements have deadlines of their own; issuers and passwords take what remains.
	limit := s.Timeout + oidc.Timeout + maxHashes*password.Wait
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), limit)
		defer cancel()
		v := visitOf(r)
		v.Request, v.w = r.WithContext(ctx), w
		ctx, a, err := s.answer(ctx, rt, v)
		if err != nil {
			a = s.errorAnswer(r.Context(), v, err)
		}
		if ctx != nil && !rt.watch {
			if err := s.Sessions.Save(ctx, w); err != nil {
				refusal := s.errorAnswer(r.Context(), v, err)
				if !a.holdsSecret { // a secret that is shown once takes precedence
					a = refusal
				}
			}
		}
		s.write(w, r, a)
	})
}

// answer lets the route answer the visit, or says why not. The context that it
// returns has the visitor's session; it is nil when that could not be had.
func (s *site) answer(ctx context.Context, rt route, v *visit) (context.Context, answer, error) {
	err := pages.ParseForm(v.Request)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, errorPage(http.StatusRequestEntityTooLarge), nil
	}
	if err != nil {
		return nil, errorPage(http.StatusBadRequest), nil //nolint:nilerr // a form that no page has
	}
	if !pages.StorableText(v.URL.Path) {
		return nil, errorPage(http.StatusNotFound), nil // no organization, person or token has such an id
	}
	if !pages.Storable(v.Form) {
		return nil, errorPage(http.StatusBadRequest), nil
	}
	ctx, ended, err := s.Sessions.Load(ctx, v.Request, clientAddress(v.Request))
	if err != nil {
		return nil, answer{}, err
	}
	v.ended = ended
	if id := s.Sessions.Current(ctx).User; id != "" {
		if v.person, err = s.People.Standing(ctx, id, tokens.OrgID(v.PathValue("org"))); err != nil {
			return ctx, answer{}, err
		}
	}
	first := "" // the page that the user has to visit before
	switch {
	case !rt.access.anyone && v.person.ID == "":
		first = signInPath(v)
	case s.Passwords && v.person.PasswordTemporary && !rt.temporary && !rt.access.anyone:
		first = "/settings/password"
	case rt.access.member && len(v.person.Memberships) == 0:
		first = "/settings"
	case rt.access.member && v.person.Membership.Role == "":
		return ctx, answer{}, tokens.ErrNotFound
	case rt.access.may != nil && !rt.access.may(v.principal()):
		return ctx, answer{}, tokens.ErrForbidden
	case rt.on != nil && !rt.on(s):
		return ctx, answer{}, tokens.ErrNotFound
	}
	if first != "" {
		return ctx, redirect(first), nil
	}
	if rt.proof {
		if proved, ask, err := s.prove(ctx, v); !proved || err != nil {
			return ctx, ask, err
		}
	}
	if v.Method == http.MethodGet && v.person.ID != "" {
		if v.notice, err = s.Sessions.Take(ctx, keyNotice); err != nil {
			return ctx, answer{}, err
		}
	}
	a, err := rt.do(s, ctx, v)
	if err == nil && a.template == "" && v.notice != "" {
		s.notify(ctx, v.notice) // for the next page
	}
	return ctx, a, err
}

// signInPath returns the address of the sign-in page, which then leads back to the requested page.
func signInPath(v *visit) string {
	next := v.URL.RequestURI()
	if v.Method == http.MethodPost {
		next = "/settings"
	}
	query := url.Values{"next": {next}}
	if v.ended {
		query.Set("ended", "1")
	}
	return "/sign-in?" + query.Encode()
}

// notify stores a notice for the user's next page.
func (s *site) notify(ctx context.Context, notice string) { s.Sessions.Put(ctx, keyNotice, notice) }

// errorAnswer returns the page for an error, and logs it once if operators must see it.
func (s *site) errorAnswer(ctx context.Context, v *visit, err error) answer {
	if ended, ok := errors.AsType[*tokens.StateError](err); ok {
		return notActive(v, ended.ID)
	}
	if wrong, ok := errors.AsType[*query.Error](err); ok {
		p, _ := pages.ProblemOf(http.StatusBadRequest)
		p.Text = problem.Sentence(wrong.Faults[0].Detail)
		return problemPage(http.StatusBadRequest, p)
	}
	status := statusOf(err)
	switch {
	case status == http.StatusServiceUnavailable:
		httpserver.Explain(v.w, err)
	case status >= http.StatusInternalServerError:
		s.Log.LogAttrs(ctx, slog.LevelError, "internal_error",
			slog.String("error", err.Error()), slog.String("request_id", requestid.Of(v.Request)))
	}
	if errors.Is(err, people.ErrEnded) {
		return redirect("/sign-in?ended=1")
	}
	if errors.Is(err, people.ErrLastOwner) {
		return lastOwner(v)
	}
	return errorPage(status)
}

// statusOf is the one table from errors to statuses.
func statusOf(err error) int {
	for _, row := range []struct {
		status int
		errors []error
	}{
		{http.StatusBadRequest, []error{oidc.ErrMismatch}},
		{http.StatusForbidden, []error{
			tokens.ErrForbidden, people.ErrDisabled, people.ErrUnverified, people.ErrUnmanaged, people.ErrLinkedElsewhere,
			people.ErrNotInvited, oidc.ErrDenied, oidc.ErrClaims, oidc.ErrNotAgain,
		}},
		{http.StatusNotFound, []error{tokens.ErrNotFound}},
		{http.StatusConflict, []error{people.ErrLastOwner, people.ErrAccountUnverified}},
		{http.StatusTooManyRequests, []error{limit.ErrShare}},
		{http.StatusServiceUnavailable, []error{
			tokens.ErrUnavailable, limit.ErrTotal, oidc.ErrUnavailable, context.DeadlineExceeded,
		}},
		{httpserver.StatusClientGone, []error{context.Canceled}},
	} {
		if slices.ContainsFunc(row.errors, func(known error) bool { return errors.Is(err, known) }) {
			return row.status
		}
	}
	return http.StatusInternalServerError
}

// errorPage returns the page of a status.
func errorPage(status int) answer {
	p, _ := pages.ProblemOf(status) // of a client that is gone there is none
	a := problemPage(status, p)
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		a.retryAfter = problem.RetryAfter * time.Second
	}
	return a
}

// problemPage is the page of a problem.
func problemPage(status int, p pages.Problem) answer { return page("error", p.Heading, p).as(status) }

// crossOrigin is the response to a cross-origin request.
func (s *site) crossOrigin(w http.ResponseWriter, r *http.Request) {
	s.write(w, r, problemPage(http.StatusForbidden, pages.Problem{
		Heading: "Request from another site",
		Text:    "No changes were made. Open the page directly and submit the form again.",
	}))
}
