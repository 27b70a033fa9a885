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

// organizationPage shows the form as stored.
func organizationPage(v *visit) answer {
	o := v.person.Membership.Organization
	f := &organizationForm{Name: o.Name, Editable: v.principal().Owners, Policy: o.Policy}
	if f.Policy.MaxDays > 0 {
		f.MaxDays = strconv.Itoa(f.Policy.MaxDays)
	}
	return page("organization", "Organization", f)
}

// fill takes the values of the form that was sent.
func (f *organizationForm) fill(v *visit) {
	f.Name, f.MaxDays = v.PostForm.Get("name"), strings.TrimSpace(v.PostForm.Get("max_days"))
	f.Policy = tokens.Policy{
		RequireAddresses: v.PostForm.Has("require_addresses"), OwnersGrantAdmin: v.PostForm.Has("owners_grant_admin"),
		MaxDays: positive(f.MaxDays),
	}
	f.Version, _ = strconv.ParseInt(v.PostForm.Get("version"), 10, 64)
}

func (s *site) changeOrganization(ctx context.Context, v *visit) (answer, error) {
	form := organizationPage(v)
	var f organizationForm
	f.fill(v)
	err := s.Tokens.ChangeOrganization(ctx, v.principal(), v.org(), f.Name, f.Policy)
	if errors.Is(err, tokens.ErrChanged) {
		return versionConflict(form, "organization-form"), nil
	}
	if wrong := faultsOf(err); wrong != nil {
		form.data.(*organizationForm).fill(v)
		return form.with(wrong...), nil
	}
	return s.done(ctx, err, v.path("/organization"), "The changes were saved.")
}
