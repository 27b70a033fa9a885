package tokens

import (
	"errors"
	"strings"
	"testing"
)

func TestIDsAndSecretsAreBase62(t *testing.T) {
	t.Parallel()
	for c, want := range map[string]bool{
		"0": true, "9": true, "A": true, "Z": true, "a": true, "z": true, "/": false, ":": false, "@": false,
		"[": false,
		"`": false, "{": false, "-": false, "_": false, "é": false,
	} {
		if got := TokenID(idPrefix + strings.Repeat("a", idLen-1) + c).Valid(); got != want {
			t.Errorf("%q: %t", c, got)
		}
	}
	id := strings.Repeat("a", idLen)
	for text, want := range map[TokenID]bool{
		TokenID(idPrefix + id): true, TokenID(id): false, TokenID("abc_" + id): false,
		TokenID(idPrefix + id[1:]):   false,
		TokenID(idPrefix + id + "a"): false, TokenID(idPrefix + id[1:] + "-"): false,
	} {
		if got := text.Valid(); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// The checksum of each of these fits.
func TestTextsOfAnotherShapeAreMalformed(t *testing.T) {
	t.Parallel()
	id, secret := strings.Repeat("a", idLen), strings.Repeat("b", secretLen)
	for body, want := range map[string]error{
		"shpt_live_" + id + "_" + secret:           nil,
		"shpt_test_" + id + "_" + secret:           nil,
		"shpt_prod_" + id + "_" + secret:           ErrMalformed,
		"shpt_live-" + id + "_" + secret:           ErrMalformed,
		"shpt_live_" + id + "-" + secret:           ErrMalformed,
		"shpt_live_" + id[1:] + "-_" + secret:      ErrMalformed,
		"shpt_live_" + id + "_" + secret[1:] + "-": ErrMalformed,
		"abcd_live_" + id + "_" + secret:           ErrMalformed,
	} {
		sum := checksum(body)
		if _, err := Parse(body + string(sum[:])); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", body, err, want)
		}
	}
}

func TestRateLimitsHaveBounds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		limit  RateLimit
		faults int
	}{
		{RateLimit{Limit: 1, WindowSeconds: 1}, 0},
		{RateLimit{Limit: maxLimit, WindowSeconds: maxWindow}, 0},
		{RateLimit{Limit: 0, WindowSeconds: 1}, 1},
		{RateLimit{Limit: maxLimit + 1, WindowSeconds: 1}, 1},
		{RateLimit{Limit: 1, WindowSeconds: 0}, 1},
		{RateLimit{Limit: 1, WindowSeconds: maxWindow + 1}, 1},
		{RateLimit{}, 2},
	} {
		var wrong ValidationError
		if got := checkRateLimit(&wrong, Operator(), tt.limit); len(wrong.Fields) != tt.faults || got != tt.limit {
			t.Errorf("%+v: %+v", tt.limit, wrong.Fields)
		}
	}
}

func TestTestTokensHaveAPartitionOfTheirOwn(t *testing.T) {
	t.Parallel()
	o := Organization{ID: "org_0live"}
	for env, want := range map[Environment]OrgID{Live: "org_0live", Test: "org_7live"} {
		token := Token{Environment: env, Organization: o}
		if got := token.Partition(); got != want {
			t.Errorf("%s: %s", env, got)
		}
	}
}

func TestRolesAssignRoles(t *testing.T) {
	t.Parallel()
	const none Role = ""
	all := append(Roles(), none)
	for _, actor := range all {
		for _, from := range all {
			for _, to := range all {
				want := actor == RoleOwner || actor == RoleAdmin && from != RoleOwner && to != RoleOwner
				if got := actor.powers().MayAssign(from, to); got != want {
					t.Errorf("%q changes %q to %q: %t", actor, from, to, got)
				}
			}
		}
	}
	if got := RoleAdmin.powers().Assignable(RoleMember); len(got) != 5 || got[0] != RoleAdmin {
		t.Errorf("%q", got)
	}
}
