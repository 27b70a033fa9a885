package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Choices in a token's form: of single permissions or a single day, and of the expiry as it is.
const (
	custom = "custom"
	keep   = "keep"
)

// expiryOption is a choice of how long a token lasts.
type expiryOption struct {
	ID, Name string
	Days     int
}

var expiryOptions = []expiryOption{
	{"7", "7 days", 7},
	{"30", "30 days", 30},
	{"60", "60 days", 60},
	{"90", "90 days", 90},
	{ID: custom, Name: "Custom date"},
	{ID: "none", Name: "No expiry"},
}

// tokenForm is the fields that the forms for a new token and for a changed one share,
// as they were filled in.
type tokenForm struct {
	pages.Faults
	Token                     tokens.Token // that is changed; zero: a new one
	Name, Preset, Expiry, Day string
	Addresses, Limit          string
	Chosen                    []string
	Presets                   []tokens.Preset     // that this person may give
	Grants                    []tokens.Permission // likewise
	Expiries                  []expiryOption
	Today, MostLimit, Window  string
	Policy                    tokens.Policy
	Latest                    time.Time // when the policy ends the token at the latest; zero: never
	all                       []tokens.Preset
}

// LastDay is for templates: the day of Latest, or "".
func (f tokenForm) LastDay() string {
	if f.Latest.IsZero() {
		return ""
	}
	return f.Latest.Format(time.DateOnly)
}

// Has is for templates: it reports whether a permission is ticked.
func (f tokenForm) Has(p tokens.Permission) bool { return slices.Contains(f.Chosen, string(p)) }

// Ends returns when a token that is saved now would expire.
func (f tokenForm) Ends(l expiryOption, now time.Time) string {
	switch end := (moment{At: f.Token.ExpiresAt}); {
	case l.ID == keep && !end.Known():
		return "Never"
	case l.ID == keep:
		return end.Minute()
	case l.Days == 0:
		return ""
	}
	return moment{At: now.Add(time.Duration(l.Days) * day)}.Date()
}

// tokenForm is an empty form, with what the organization's policy allows.
func (s *site) tokenForm(ctx context.Context, v *visit) (tokenForm, error) {
	policy, err := s.Tokens.Policy(ctx, v.org())
	if err != nil {
		return tokenForm{}, err
	}
	presets := s.Tokens.Permissions().Presets()
	f := tokenForm{
		Grants: v.principal().Under(policy).Grants(), Preset: presets[0].ID, Expiry: custom, Window: "minute", Policy: policy,
		Today: s.Tokens.Now().Format(time.DateOnly), MostLimit: strconv.Itoa(tokens.DefaultRateLimit.Limit),
		Latest: policy.Last(s.Tokens.Now()), all: presets,
	}
	for _, l := range expiryOptions {
		if policy.MaxDays == 0 || l.ID == custom || 0 < l.Days && l.Days <= policy.MaxDays {
			f.Expiries = append(f.Expiries, l)
		}
		if l.Days > 0 && slices.Contains(f.Expiries, l) {
			f.Expiry = l.ID // the longest
		}
	}
	for _, p := range presets {
		if !slices.ContainsFunc(p.Permissions, func(one tokens.Permission) bool { return !slices.Contains(f.Grants, one) }) {
			f.Presets = append(f.Presets, p)
		}
	}
	return f, nil
}

// read takes the values of a form that was sent.
func (f *tokenForm) read(v *visit) {
	if v.Method != http.MethodPost {
		return
	}
	f.Name, f.Preset, f.Chosen = v.PostForm.Get("name"), v.PostForm.Get("preset"), v.PostForm["permissions"]
	f.Expiry, f.Day = v.PostForm.Get("expiry"), v.PostForm.Get("day")
	f.Addresses, f.Limit = v.PostForm.Get("ip_allow"), strings.TrimSpace(v.PostForm.Get("limit"))
}

// scrubbed is the form without a token that was entered into the wrong field.
func (f tokenForm) scrubbed() tokenForm {
	f.Name, f.Addresses = tokens.Scrub(f.Name), tokens.Scrub(f.Addresses)
	return f
}

func (f tokenForm) addresses() []string {
	return strings.FieldsFunc(f.Addresses, func(r rune) bool { return strings.ContainsRune(", \r\n\t;", r) })
}

// permissions returns the chosen ones, also of a preset that the form does not offer: the service refuses it.
func (f tokenForm) permissions() []string {
	if f.Preset == custom {
		return f.Chosen
	}
	for _, p := range f.all {
		if p.ID == f.Preset {
			return tokens.Texts(p.Permissions)
		}
	}
	return nil
}

// end returns when the token is to end, also for a choice that the form does not offer; zero stands for
// never. What is no choice or no day ends now. The service refuses both.
func (f tokenForm) end(now time.Time) time.Time {
	at := slices.IndexFunc(expiryOptions, func(l expiryOption) bool { return l.ID == f.Expiry })
	switch {
	case at < 0:
		return now
	case f.Expiry == custom:
		last, err := time.Parse(time.DateOnly, f.Day)
		if err != nil {
			return now
		}
		if f.Day == f.LastDay() {
			return f.Latest
		}
		return last.Add(day)
	case expiryOptions[at].Days > 0:
		return now.Add(time.Duration(expiryOptions[at].Days) * day)
	}
	return time.Time{}
}
