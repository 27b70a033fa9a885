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
	for _, text := range []string{id, "abc_" + id, idPrefix + id[1:], idPrefix + id + "a"} {
		if TokenID(text).Valid() {
			t.Errorf("%q is accepted", text)
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
