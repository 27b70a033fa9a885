package web

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// generateForm is the form for a new token.
type generateForm struct {
	tokenForm
	Nonce          string
	Owner          string // person or organization
	MayChooseOwner bool
	Environment    tokens.Environment
}

// Open reports whether the advanced part is to be seen at once.
func (f generateForm) Open() bool {
	return f.Policy.RequireAddresses || f.Any("ip_allow", "environment", "limit") ||
		f.Addresses != "" || f.Limit != "" || f.Environment == tokens.Test
}

func (s *site) generateForm(ctx context.Context, v *visit) (generateForm, error) {
	empty, err := s.tokenForm(ctx, v)
	f := generateForm{
		tokenForm: empty, Nonce: rand.Text(), Environment: tokens.Live,
		Owner: "person", MayChooseOwner: v.principal().MayChooseOwner(),
	}
	f.read(v)
	if v.PostForm.Has("environment") {
		f.Environment, f.Owner = tokens.Environment(v.PostForm.Get("environment")), v.PostForm.Get("owner")
	}
	return f, err
}

// with is the form with faults.
func (f generateForm) with(all faults) answer {
	f.tokenForm = f.scrubbed()
	f.Faults = all
	return page("generate", "Generate API token", f).in("api")
}

func (s *site) showGenerate(ctx context.Context, v *visit) (answer, error) {
	f, err := s.generateForm(ctx, v)
	return f.with(nil), err
}

func (s *site) generate(ctx context.Context, v *visit) (answer, error) {
	f, err := s.generateForm(ctx, v)
	if err != nil {
		return answer{}, err
	}
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
		IPAllow: f.addresses(), Permissions: f.permissions(), ExpiresAt: f.end(now),
	}
	if n := positive(f.Limit); n != 0 {
		d.RateLimit = tokens.RateLimit{Limit: n, Window: tokens.DefaultRateLimit.Window}
	}
	return d
}
