package web

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// organizationForm is the page Settings › Organization.
type organizationForm struct {
	pages.Faults
	tokens.Policy
	Name, MaxDays string
	Editable      bool
}

// showOrganization shows the form as stored.
func (s *site) showOrganization(ctx context.Context, v *visit) (answer, error) {
	_, policy, err := s.Tokens.Organization(ctx, v.org())
	if err != nil {
		return answer{}, err
	}
	f := &organizationForm{Name: v.current.Organization.Name, Editable: mayChangeOrganization(v), Policy: policy}
	if policy.MaxDays > 0 {
		f.MaxDays = strconv.Itoa(policy.MaxDays)
	}
	return page("organization", "Organization", f).in("organization"), err
}

// read takes the values of the form that was sent.
func (f *organizationForm) read(v *visit) {
	f.Name, f.MaxDays = v.PostForm.Get("name"), strings.TrimSpace(v.PostForm.Get("max_days"))
	f.Policy = tokens.Policy{
		RequireAddresses: v.PostForm.Has("require_addresses"), OwnersGrantAdmin: v.PostForm.Has("owners_grant_admin"),
		MaxDays: positive(f.MaxDays),
	}
	f.Version, _ = strconv.ParseInt(v.PostForm.Get("version"), 10, 64)
}

func (s *site) changeOrganization(ctx context.Context, v *visit) (answer, error) {
	form, err := s.showOrganization(ctx, v)
	if err != nil {
		return answer{}, err
	}
	var f organizationForm
	f.read(v)
	err = s.Tokens.ChangeOrganization(ctx, v.principal(), v.org(), f.Name, f.Policy)
	if errors.Is(err, tokens.ErrChanged) {
		return versionConflict(form, "organization-form"), nil
	}
	if wrong := faultsOf(err); wrong != nil {
		form.data.(*organizationForm).read(v)
		return form.with(wrong...), nil
	}
	return s.done(ctx, err, v.path("/organization"), "The changes were saved.")
}
