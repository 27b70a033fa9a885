package redact

import (
	"strings"
	"testing"
)

func TestAPathEndsWhereASecretMayBegin(t *testing.T) {
	t.Parallel()

	for path, want := range map[string]string{
		"":                                  "",
		"/":                                 "/",
		"/api/v1/shipments/ship_0abc":       "/api/v1/shipments/ship_0abc",
		"/api/v1/shpt_live_secret/x":        "/api/v1/…",
		"/SHPT_live_secret":                 "/…",
		"/api/sshpt_live_secret":            "/api/s…",
		"/api/%73hpt_live_secret":           "/api/…",
		"/sign-in":                          "/sign-in",
		"/sign-in/invitation":               "/sign-in/invitation",
		"/sign-in/invitation/code":          "/sign-in/invitation/…",
		"/Sign-In/invitation/code/and/more": "/Sign-In/invitation/…",
		"/sign-in//code":                    "/sign-in//…",
		"/sign-in/shpt_live_secret/code":    "/sign-in/…",
		"/a/sign-in/invitation/code":        "/a/sign-in/invitation/…",
		"/sign-inn/kind/code":               "/sign-inn/kind/code",
		"/invitation/code":                  "/invitation/…",
		"invitation/code":                   "invitation/…",
		"/sign-in/x/a\nb":                   "/sign-in/x/…",
		"/a/" + strings.Repeat("x", 40):     "/a/" + strings.Repeat("x", 40),
		"/a/" + strings.Repeat("x", 41):     "/a/…",
		"/live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19/a": "/…",
		"/a/Invitation/code/more":                                     "/a/Invitation/…",
		"/settings/org_1/invitations/inv_1":                           "/settings/org_1/invitations/inv_1",
	} {
		if got := Path(path); got != want {
			t.Errorf("%s becomes %s, want %s", path, got, want)
		}
	}
}

func FuzzNoTokenRemains(f *testing.F) {
	f.Add("/api/v1/", "/x")
	f.Add("/sign-in/", "/code")
	f.Fuzz(func(t *testing.T, before, after string) {
		got := Path(before + "shpt_live_secret" + after)
		if strings.Contains(got, "live") && !strings.Contains(before, "live") {
			t.Error(got)
		}
	})
}
