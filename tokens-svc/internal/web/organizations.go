package web

import "context"

// chooseOrganization redirects members of one organization to it, and lets others
// choose.
func (s *site) chooseOrganization(_ context.Context, v *visit) (answer, error) {
	if len(v.memberships) == 1 {
		v.current = v.memberships[0]
		return redirect(v.path("/api")), nil
	}
	return page("organizations", "Organizations", nil), nil
}

func (s *site) toAPI(_ context.Context, v *visit) (answer, error) {
	return redirect(v.path("/api")), nil
}
