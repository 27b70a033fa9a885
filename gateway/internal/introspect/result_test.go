package introspect_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quayside/quayside/gateway/internal/introspect"
)

func TestIntrospectFollowsTheContract(t *testing.T) {
	t.Parallel()

	raw, err := os.ReadFile("../../testdata/contract/introspection.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract map[string]json.RawMessage
	if err := json.Unmarshal(raw, &contract); err != nil {
		t.Fatal(err)
	}
	const organization = "org_01k9x3v7t2e8sbq4m6n0pacdfg"
	want := map[string]introspect.Result{
		"active": {
			Active: true, TokenID: "tok_4fZyo82mVyR1", Lineage: "tok_4fZyo82mVyR1", OrganizationID: organization,
			Permissions: "shipments:read shipments:write", ExpiresAt: time.Unix(1_803_031_432, 0),
			Limit: 100, Window: time.Minute, Revision: 812,
			AllowFrom: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")},
		},
		"active_never_expiring": {
			Active: true, TokenID: "tok_000000000001", Lineage: "tok_000000000001", OrganizationID: organization,
			Permissions: "shipments:read", Limit: 100, Window: time.Minute, Revision: 3,
		},
		"active_rotated": {
			Active: true, TokenID: "tok_000000000001", Lineage: "tok_000000000001", OrganizationID: organization,
			Permissions: "shipments:read", ExpiresAt: time.Unix(1_795_341_832, 0), Rotated: true, Limit: 100,
			Window: time.Minute, Revision: 814,
		},
		"inactive":         {},
		"inactive_revoked": {Reason: "revoked", TokenID: "tok_4fZyo82mVyR1"},
		"inactive_expired": {Reason: "expired", TokenID: "tok_4fZyo82mVyR1"},
	}
	if len(contract) != len(want) {
		t.Errorf("the contract has %d answers, this test knows %d", len(contract), len(want))
	}
	for name, body := range contract {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token := token
			if want[name].TokenID == "tok_000000000001" {
				token = "shpt_live_000000000001_0000000000000000000000000000000027i4HK"
			}
			got, err := newIntrospector(t, newTokensService(t, string(body)).URL, new(clock)).Introspect(t.Context(), token)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[name], *got, cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestActiveResultPastItsExpiryIsInactive(t *testing.T) {
	t.Parallel()

	c := new(clock)
	body := strings.Replace(activeAnswer, "{", fmt.Sprintf(`{"exp":%d,`, c.now().Unix()), 1)
	answer, err := newIntrospector(t, newTokensService(t, body).URL, c).Introspect(t.Context(), token)
	if err != nil || answer.Active || answer.Reason != "expired" {
		t.Errorf("answer %+v, error %v", answer, err)
	}
}

func TestSmallestAndLargestQuotaAreAccepted(t *testing.T) {
	t.Parallel()

	for quota, want := range map[string]introspect.Result{
		`{"limit":1,"window_seconds":1}`:           {Limit: 1, Window: time.Second},
		`{"limit":1000000,"window_seconds":86400}`: {Limit: 1_000_000, Window: 24 * time.Hour},
	} {
		body := strings.Replace(activeAnswer, "{", `{"rate_limit":`+quota+`,`, 1)
		result, err := newIntrospector(t, newTokensService(t, body).URL, new(clock)).Introspect(t.Context(), token)
		if err != nil || result.Limit != want.Limit || result.Window != want.Window {
			t.Errorf("%s: %+v, %v", quota, result, err)
		}
	}
}

func TestATokenIsUsedFromItsAddressesOnly(t *testing.T) {
	t.Parallel()

	body := strings.Replace(activeAnswer, "{", `{"ip_allow":["192.0.2.0/24","2001:db8::/112","203.0.113.7/32"],`, 1)
	answer, err := newIntrospector(t, newTokensService(t, body).URL, new(clock)).Introspect(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[string]bool{
		"192.0.2.9": true, "2001:db8::1": true, "203.0.113.7": true, "203.0.113.8": false, "192.0.3.1": false,
		"2001:db8::1:1": false, "2001:db9::1": false,
	} {
		if got := answer.Admits(netip.MustParseAddr(addr)); got != want {
			t.Errorf("Admits(%s) = %v", addr, got)
		}
	}
	if answer.Admits(netip.Addr{}) {
		t.Error("an unknown address is admitted")
	}
}
