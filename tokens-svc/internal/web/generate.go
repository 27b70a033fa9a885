package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// custom is the choice of single permissions, and of a single day.
const custom = "custom"

// life is a choice of how long a token lasts.
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

// generateForm is the form for a new token, as it was filled in.
type generateForm struct {
	pages.Faults
	Nonce                     string
	Name, Preset, Expiry, Day string
	Addresses, Limit          string
	Owner                     string // person or organization
	MayChooseOwner            bool
	Environment               tokens.Environment
	Chosen                    []string
	Presets                   []tokens.Preset     // that this person may give
	Grants                    []tokens.Permission // likewise
	Expiries                  []expiryOption
	Today, MostLimit          string
}

// Has is for templates: it reports whether a permission is ticked.
func (f generateForm) Has(p tokens.Permission) bool { return slices.Contains(f.Chosen, string(p)) }

// Open reports whether the advanced part is to be seen at once.
func (f generateForm) Open() bool {
	return f.Any("ip_allow", "environment", "limit") || f.Addresses != "" || f.Limit != "" || f.Environment == tokens.Test
}

// Ends returns when a token that is created now would expire.
func (f generateForm) Ends(l expiryOption, now time.Time) string {
	if l.Days == 0 {
		return ""
	}
	return moment{At: now.Add(time.Duration(l.Days) * day)}.Date()
}

func (s *site) generateForm(ctx context.Context, v *visit) generateForm {
	presets := s.Tokens.Permissions().Presets()
	f := generateForm{
		Nonce: s.sessions.Form(ctx, purpose("generate", v)), Expiries: expiryOptions, Grants: v.principal().Grants(),
		Preset: presets[0].ID, Expiry: "90", Environment: tokens.Live,
		Owner: "person", MayChooseOwner: v.principal().MayChooseOwner(),
		Today: s.Tokens.Now().Format(time.DateOnly), MostLimit: strconv.Itoa(tokens.DefaultRateLimit.Limit),
	}
	for _, p := range presets {
		if !slices.ContainsFunc(p.Permissions, func(one tokens.Permission) bool { return !slices.Contains(f.Grants, one) }) {
			f.Presets = append(f.Presets, p)
		}
	}
	if v.Method == http.MethodPost {
		f.Name, f.Preset, f.Chosen = v.PostForm.Get("name"), v.PostForm.Get("preset"), v.PostForm["permissions"]
		f.Expiry, f.Day = v.PostForm.Get("expiry"), v.PostForm.Get("day")
		f.Addresses, f.Limit = v.PostForm.Get("ip_allow"), strings.TrimSpace(v.PostForm.Get("limit"))
		f.Environment, f.Owner = tokens.Environment(v.PostForm.Get("environment")), v.PostForm.Get("owner")
	}
	return f
}

// purpose is the action that a form's nonce is bound to.
func purpose(what string, v *visit) string {
	return strings.Join([]string{what, string(v.org()), string(v.token())}, " ")
}

// answer is the form with its values, except for a token entered
// into the wrong field.
func (f generateForm) answer() answer {
	f.Name, f.Addresses = tokens.Scrub(f.Name), tokens.Scrub(f.Addresses)
	return page("generate", "Generate API token", f).in("api")
}

func (s *site) showGenerate(ctx context.Context, v *visit) (answer, error) {
	return s.generateForm(ctx, v).answer(), nil
}

func (s *site) generate(ctx context.Context, v *visit) (answer, error) {
	f := s.generateForm(ctx, v)
	draft := f.draft(s.Tokens.Now())
	if invalid, ok := errors.AsType[*tokens.ValidationError](s.Tokens.CheckDraft(v.principal(), draft)); ok {
		f.Faults = merged(f.Faults, faultsOf(invalid))
	}
	if len(f.Faults) > 0 {
		return f.answer().as(http.StatusUnprocessableEntity), nil
	}
	used, refusal, err := s.useForm(ctx, v, "generate")
	if err != nil || refusal.status != 0 {
		return refusal, err
	}
	if !used.Known {
		f.Add("name", "This form is from an earlier session. Check it and submit it again.")
		return f.answer().as(http.StatusUnprocessableEntity), nil
	}
	t, secret, err := s.Tokens.CreateToken(ctx, v.principal(), v.org(), draft)
	if err != nil {
		return answer{}, err
	}
	s.noteForm(ctx, v, used, t.ID)
	return s.shown(v, t, secret, tokens.Token{}), nil
}

// draft reads the form and adds the faults that only a form can have.
func (f *generateForm) draft(now time.Time) tokens.Draft {
	d := tokens.Draft{
		Name: f.Name, Environment: f.Environment, OfOrganization: f.Owner == "organization",
		IPAllow: strings.FieldsFunc(f.Addresses, func(r rune) bool {
			return strings.ContainsRune(", \r\n\t;", r)
		}),
	}
	d.Permissions = f.permissions()
	d.ExpiresAt = f.end(now)
	if f.Limit != "" {
		n, err := strconv.Atoi(f.Limit)
		if err != nil || n < 1 || n > tokens.DefaultRateLimit.Limit {
			f.Add("limit", "Enter a whole number from 1 to "+f.MostLimit+", or leave it empty for "+f.MostLimit+".")
		}
		d.RateLimit = tokens.RateLimit{Limit: n, Window: tokens.DefaultRateLimit.Window}
	}
	return d
}

func (f *generateForm) permissions() []string {
	if f.Preset == custom {
		return f.Chosen
	}
	at := slices.IndexFunc(f.Presets, func(p tokens.Preset) bool { return p.ID == f.Preset })
	if at < 0 {
		f.Add("permissions", "Choose permissions for the token.")
		return nil
	}
	return tokens.Texts(f.Presets[at].Permissions)
}

// end returns when the token is to end; zero stands for never.
func (f *generateForm) end(now time.Time) time.Time {
	switch at := slices.IndexFunc(expiryOptions, func(l expiryOption) bool { return l.ID == f.Expiry }); {
	case at < 0:
		f.Add("expires_at", "Choose an expiry.")
	case f.Expiry == custom:
		last, err := time.Parse(time.DateOnly, f.Day)
		end := last.Add(day)
		if err != nil || !end.After(now) {
			f.Add("expires_at", "Choose a date that is not in the past, such as "+now.Add(90*day).Format(time.DateOnly)+".")
			return time.Time{}
		}
		return end
	case expiryOptions[at].Days > 0:
		return now.Add(time.Duration(expiryOptions[at].Days) * day)
	}
	return time.Time{}
}
