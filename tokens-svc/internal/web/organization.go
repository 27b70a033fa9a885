package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// organizationForm is the page Settings › Organization.
type organizationForm struct {
	pages.Faults
	tokens.Policy
	Name, MaxDays     string
	Editable          bool
	Active, MaxActive int // tokens; MaxActive 0: any number
}

func (f organizationForm) with(all faults) answer {
	f.Faults = all
	return page("organization", "Organization", f).in("organization")
}

// organizationForm is the form as stored.
func (s *site) organizationForm(ctx context.Context, v *visit) (organizationForm, error) {
	policy, err := s.Tokens.Policy(ctx, v.org())
	if err != nil {
		return organizationForm{}, err
	}
	_, active, err := s.Tokens.Tokens(ctx, v.org(),
		tokens.Query{Filter: tokens.FilterActive, Page: tokens.Page{Number: 1, Size: 1}})
	f := organizationForm{
		Name: v.current.Organization.Name, Editable: mayChangeOrganization(v),
		Active: active, MaxActive: s.Tokens.MaxActive(), Policy: policy,
	}
	if policy.MaxDays > 0 {
		f.MaxDays = strconv.Itoa(policy.MaxDays)
	}
	return f, err
}

func (s *site) showOrganization(ctx context.Context, v *visit) (answer, error) {
	f, err := s.organizationForm(ctx, v)
	return f.with(nil), err
}

// read takes the values of the form that was sent.
func (f *organizationForm) read(v *visit) {
	f.Name, f.MaxDays = v.PostForm.Get("name"), strings.TrimSpace(v.PostForm.Get("max_days"))
	f.Policy = tokens.Policy{
		RequireAddresses: v.PostForm.Has("require_addresses"), OwnersGrantAdmin: v.PostForm.Has("owners_grant_admin"),
	}
	f.Version, _ = strconv.ParseInt(v.PostForm.Get("version"), 10, 64)
	f.Policy.MaxDays = positive(f.MaxDays)
}

func (s *site) changeOrganization(ctx context.Context, v *visit) (answer, error) {
	f, err := s.organizationForm(ctx, v)
	if err != nil {
		return answer{}, err
	}
	stored := f
	f.read(v)
	err = s.Tokens.ChangeOrganization(ctx, v.principal(), v.org(), f.Name, f.Policy)
	if errors.Is(err, tokens.ErrChanged) {
		return stored.with(overtaken("organization-form")).as(http.StatusConflict), nil
	}
	if wrong := faultsOf(err); wrong != nil {
		f.Name = tokens.Scrub(f.Name)
		return f.with(wrong), nil
	}
	if err != nil {
		return answer{}, err
	}
	s.notify(ctx, "The changes were saved.")
	return redirect(v.path("/organization")), nil
}
