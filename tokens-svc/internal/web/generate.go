package web

import (
	"context"
	"crypto/rand"
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

func (s *site) generateForm(v *visit) generateForm {
	presets := s.Tokens.Permissions().Presets()
	f := generateForm{
		Nonce: rand.Text(), Expiries: expiryOptions, Grants: v.principal().Grants(),
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

// answer is the form with its values, except for a token entered
// into the wrong field.
func (f generateForm) answer() answer {
	f.Name, f.Addresses = tokens.Scrub(f.Name), tokens.Scrub(f.Addresses)
	return page("generate", "Generate API token", f).in("api")
}

// with is the form with faults.
func (f generateForm) with(all faults) answer {
	f.Faults = all
	return f.answer()
}

func (s *site) showGenerate(_ context.Context, v *visit) (answer, error) {
	return s.generateForm(v).answer(), nil
}

func (s *site) generate(ctx context.Context, v *visit) (answer, error) {
	f := s.generateForm(v)
	t, secret, err := s.Tokens.CreateToken(ctx, v.once(), v.org(), f.draft(s.Tokens.Now()))
	if err != nil {
		return s.notMade(ctx, v, err, f.with)
	}
	return s.shown(v, t, secret, tokens.Token{}), nil
}

// draft reads the form. What the form cannot have is a value that the service refuses.
func (f generateForm) draft(now time.Time) tokens.Draft {
	d := tokens.Draft{
		Name: f.Name, Environment: f.Environment, OfOrganization: f.Owner == "organization",
		IPAllow: strings.FieldsFunc(f.Addresses, func(r rune) bool {
			return strings.ContainsRune(", \r\n\t;", r)
		}),
		Permissions: f.permissions(), ExpiresAt: f.end(now),
	}
	if f.Limit != "" {
		n, err := strconv.Atoi(f.Limit)
		if err != nil || n == 0 {
			n = -1
		}
		d.RateLimit = tokens.RateLimit{Limit: n, Window: tokens.DefaultRateLimit.Window}
	}
	return d
}

func (f generateForm) permissions() []string {
	if f.Preset == custom {
		return f.Chosen
	}
	for _, p := range f.Presets {
		if p.ID == f.Preset {
			return tokens.Texts(p.Permissions)
		}
	}
	return nil
}

// end returns when the token is to end; zero stands for never.
func (f generateForm) end(now time.Time) time.Time {
	switch at := slices.IndexFunc(expiryOptions, func(l expiryOption) bool { return l.ID == f.Expiry }); {
	case at < 0:
		return now // which is refused
	case f.Expiry == custom:
		last, err := time.Parse(time.DateOnly, f.Day)
		if err != nil {
			return now
		}
		return last.Add(day)
	case expiryOptions[at].Days > 0:
		return now.Add(time.Duration(expiryOptions[at].Days) * day)
	}
	return time.Time{}
}
