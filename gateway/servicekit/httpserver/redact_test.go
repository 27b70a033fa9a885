package httpserver

import "testing"

func TestAPathIsLoggedUpToWhereASecretMayBegin(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"":                            "",
		"/":                           "/",
		"/sign-in":                    "/sign-in",
		"/sign-in/invitation":         "/sign-in/invitation",
		"/sign-in/invitation/AB-CD/x": "/sign-in/invitation/…",
		"/Sign-In/oidc/code":          "/Sign-In/oidc/…",
		"/sign-in/x/a\nb":             "/sign-in/x/…",
		"/invitation/AB-CD":           "/invitation/…",
		"/api/v1/shpt_live_secret/x":  "/api/v1/shpt_…",
		"/api/v1/SHPT_live_secret/x":  "/api/v1/SHPT_…",
		"/api/v1/%73hpt_live_secret":  "/api/v1/%…",
		"/api/v1/shipments/ship_0abc": "/api/v1/shipments/ship_0abc",
		"/settings/org_1/invitations": "/settings/org_1/invitations",
	} {
		if got := redact(path); got != want {
			t.Errorf("%q is logged as %q, want %q", path, got, want)
		}
	}
}
