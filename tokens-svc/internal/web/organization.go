package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// organizationForm is the page Settings › Organization.
type organizationForm struct {
	pages.Faults
	Name, MaxDays     string
	RequireAddresses  bool
	OwnersGrantAdmin  bool
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
		Active: active, MaxActive: s.Tokens.MaxActive(),
		RequireAddresses: policy.RequireAddresses, OwnersGrantAdmin: policy.OwnersGrantAdmin,
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

func (s *site) changeOrganization(ctx context.Context, v *visit) (answer, error) {
	f, err := s.organizationForm(ctx, v)
	if err != nil {
		return answer{}, err
	}
	f.Name, f.MaxDays = v.PostForm.Get("name"), strings.TrimSpace(v.PostForm.Get("max_days"))
	f.RequireAddresses, f.OwnersGrantAdmin = v.PostForm.Has("require_addresses"), v.PostForm.Has("owners_grant_admin")
	policy := tokens.Policy{RequireAddresses: f.RequireAddresses, OwnersGrantAdmin: f.OwnersGrantAdmin}
	if f.MaxDays != "" {
		if policy.MaxDays, err = strconv.Atoi(f.MaxDays); err != nil || policy.MaxDays == 0 {
			policy.MaxDays = -1 // which is refused
		}
	}
	err = s.Tokens.ChangeOrganization(ctx, v.principal(), v.org(), f.Name, policy)
	if wrong := faultsOf(err); wrong != nil {
		f.Name = tokens.Scrub(f.Name)
		return f.with(wrong).as(http.StatusUnprocessableEntity), nil
	}
	if err != nil {
		return answer{}, err
	}
	s.notify(ctx, "The changes were saved.")
	return redirect(v.path("/organization")), nil
}
