package web

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// fault is an error of one field of a form.
type fault = pages.Fault

// with returns the page with faults of its form. The page's data points to what embeds pages.Faults.
func (a answer) with(all ...fault) answer {
	for _, f := range all {
		a.data.(interface{ Add(field, text string) }).Add(f.Field, f.Text)
	}
	a.status = pages.Status(a.data)
	return a
}

// done is the answer to a form: the next page with a notice of what was done, unless err says that it was not.
func (s *site) done(ctx context.Context, err error, to, notice string) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	s.notify(ctx, notice)
	return redirect(to), nil
}

// labels are the page labels of the services' fields.
var labels = map[string]string{
	"name": "Name", "permissions": "Permissions", "ip_allow": "Allowed addresses", "limit": "Requests per minute",
	"window_seconds": "Requests per minute", "expires_at": "Expiry", "environment": "Environment", "reason": "Reason",
	"email": "E-mail address", "password": "Password", "role": "Role", "grace_seconds": "Overlap",
	"max_days": "Longest life in days",
}

// missing are the messages for required fields.
var missing = map[string]string{
	"name": "Enter a name.", "permissions": "Choose at least one permission.", "email": "Enter an e-mail address.",
	"code": "Enter the code.", "password": "Enter a password.", "current": "Enter your current password.",
}

// empty returns the faults of required fields that were left empty.
func (v *visit) empty(fields ...string) (all []fault) {
	for _, field := range fields {
		if v.PostForm.Get(field) == "" {
			all = append(all, fault{Field: field, Text: missing[field]})
		}
	}
	return all
}

// faultsOf returns what is wrong with an input as messages; nothing for any other error.
func faultsOf(err error) (all []fault) {
	if full, ok := errors.AsType[*tokens.TooManyError](err); ok {
		text := fmt.Sprintf("The organization has %d active tokens, the maximum. Revoke one first.", full.Max)
		return []fault{{Field: "name", Text: text}}
	}
	wrong, ok := errors.AsType[*tokens.ValidationError](err)
	if !ok {
		return nil
	}
	for _, f := range wrong.Fields {
		text := missing[f.Field]
		if text == "" || f.Code != tokens.Required {
			between := " "
			if f.Entry > 0 {
				between = ": "
			}
			text = label(f.Field) + between + f.Detail
			if !strings.HasSuffix(text, "?") {
				text += "."
			}
		}
		all = append(all, fault{Field: f.Field, Text: text})
	}
	return all
}

// refusal is an error that a form shows at one of its fields.
type refusal struct {
	err         error
	field, text string
}

// refused returns the form for one of these errors, for input that is invalid, or for an account that
// is disabled or one attempt too many, which are faults of the field. It returns any other error.
func refused(err error, field string, form answer, known ...refusal) (answer, error) {
	if wrong := faultsOf(err); wrong != nil {
		return form.with(wrong...), nil
	}
	if throttled, ok := errors.AsType[*people.ThrottledError](err); ok {
		wait := counted(int64(math.Ceil(throttled.RetryAfter.Minutes())), "minute")
		form = form.with(fault{Field: field, Text: "Too many attempts. You can try again in " + wait + "."})
		form.retryAfter = throttled.RetryAfter
		return form.as(http.StatusTooManyRequests), nil
	}
	disabled := refusal{people.ErrDisabled, field, "This account is disabled. Contact your Quayside administrator."}
	for _, r := range append(known, disabled) {
		if errors.Is(err, r.err) {
			form = form.with(fault{Field: r.field, Text: r.text})
			if status := statusOf(err); status != http.StatusInternalServerError {
				form.status = status
			}
			return form, nil
		}
	}
	return answer{}, err
}

// versionConflict is the form with this id, which now shows another version.
func versionConflict(form answer, id string) answer {
	return form.with(fault{Field: id, Text: "This was changed after you opened the form, and nothing was saved. " +
		"The form shows it as it is now: make your changes again."}).as(http.StatusConflict)
}

// safeNext returns where to go after signing in: a path of this origin, whatever text
// says. Of an address, only the path and the query count.
func safeNext(text string) string {
	u, err := url.Parse(text)
	if err != nil || len(text) > 512 || u.Path != path.Clean(u.Path) || !strings.HasPrefix(u.Path, "/") ||
		strings.ContainsAny(u.Path, "\\\r\n\t") || strings.HasPrefix(u.Path, "/sign-in") {
		return home
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// home is where people go who have signed in and did not ask for a page.
const home = "/shipments"
