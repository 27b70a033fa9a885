package tokens

import (
	"encoding/hex"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// bounded has a value in every bound.
func bounded() Token {
	at := time.Date(2026, 11, 20, 14, 3, 52, 123e6, time.UTC)
	return Token{
		ID: "tok_4fZyo82mVyR1", Organization: Organization{ID: "org_1", Name: "Acme"}, Name: "ERP", Environment: Live,
		Permissions: []Permission{"documents:read", "shipments:read"},
		IPAllow:     []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")},
		RateLimit:   RateLimit{Limit: 60, Window: 30 * time.Second},
		CreatedBy:   audit.Actor{Kind: audit.User, ID: "usr_1", Name: "anna@acme.example"},
		CreatedAt:   at, ExpiresAt: at.Add(time.Hour), RevokedAt: at.Add(time.Minute), RevokedReason: "lost",
		RotatedFrom: "tok_000000000001", RotatedTo: "tok_000000000002", Revision: 7,
	}
}

// TestTheMACOfBoundsIsKnown: MACs that are stored stay verifiable.
func TestTheMACOfBoundsIsKnown(t *testing.T) {
	t.Parallel()
	p := peppers(t, 3)
	const want = "211de600312efb7a8bf99b4db46cf7ffedb6120362b4aaaaa13d0994147fb694"
	token := bounded()
	token.Bounds = p.SealBounds(token)
	if got := hex.EncodeToString(token.Bounds.MAC[:]); got != want || token.Bounds.Version != 3 {
		t.Errorf("version %d, MAC %s; want 3, %s", token.Bounds.Version, got, want)
	}
	if ok, known := p.VerifyBounds(token); !ok || !known {
		t.Errorf("its own MAC: ok %t, known %t", ok, known)
	}
	if ok, known := peppers(t, 4).VerifyBounds(token); ok || known {
		t.Errorf("without the pepper: ok %t, known %t", ok, known)
	}
}

// TestAPartitionIsInTheMACOfTestTokens: no change in the database turns their
// view to the data of others.
func TestAPartitionIsInTheMACOfTestTokens(t *testing.T) {
	t.Parallel()
	p := peppers(t, 3)
	for environment, bound := range map[Environment]bool{Test: true, Live: false} {
		token := bounded()
		token.Environment, token.Organization.TestID = environment, "org_3"
		sealed := p.SealBounds(token)
		token.Organization.TestID = "org_2"
		if same := p.SealBounds(token) == sealed; same == bound {
			t.Errorf("%s: the same MAC: %t", environment, same)
		}
	}
}

// TestEveryBoundIsInTheMAC, and what people may call a token is not.
func TestEveryBoundIsInTheMAC(t *testing.T) {
	t.Parallel()
	p := peppers(t, 3)
	sealed := p.SealBounds(bounded())
	for name, change := range map[string]func(*Token){
		"id":                func(t *Token) { t.ID = "tok_000000000003" },
		"organization":      func(t *Token) { t.Organization.ID = "org_2" },
		"environment":       func(t *Token) { t.Environment = Test },
		"more permissions":  func(t *Token) { t.Permissions = append(t.Permissions, Admin) },
		"other permissions": func(t *Token) { t.Permissions = []Permission{Admin} },
		"joined permissions": func(t *Token) {
			t.Permissions = []Permission{"documents:read" + "shipments:read"}
		},
		"no ranges":    func(t *Token) { t.IPAllow = nil },
		"wider ranges": func(t *Token) { t.IPAllow = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")} },
		"limit":        func(t *Token) { t.RateLimit.Limit = 600 },
		"window":       func(t *Token) { t.RateLimit.Window = time.Second },
		"creator":      func(t *Token) { t.CreatedBy.ID = "usr_2" },
		"creator kind": func(t *Token) { t.CreatedBy.Kind = audit.Token },
		"owner":        func(t *Token) { t.Owner.ID = "usr_1" },
		"lineage":      func(t *Token) { t.Lineage = "tok_000000000001" },
		"creation":     func(t *Token) { t.CreatedAt = t.CreatedAt.Add(time.Millisecond) },
		"no end":       func(t *Token) { t.ExpiresAt = time.Time{} },
		"later end":    func(t *Token) { t.ExpiresAt = t.ExpiresAt.Add(time.Millisecond) },
		"not revoked":  func(t *Token) { t.RevokedAt = time.Time{} },
		"predecessor":  func(t *Token) { t.RotatedFrom = "" },
		"not rotated":  func(t *Token) { t.RotatedTo = "" },
		"moved values": func(t *Token) { t.RotatedFrom, t.RotatedTo = "", t.RotatedFrom },
	} {
		token := bounded()
		change(&token)
		token.Bounds = sealed
		if ok, known := p.VerifyBounds(token); ok || !known {
			t.Errorf("%s: ok %t, known %t", name, ok, known)
		}
	}
	token := bounded()
	token.Name, token.RevokedReason, token.Revision, token.CreatedBy.Name, token.Organization.Name = "x", "y", 8, "z", "w"
	token.Bounds = sealed
	if ok, _ := p.VerifyBounds(token); !ok {
		t.Error("a name is bound")
	}
}

// FuzzBoundsAreUnambiguous: two tokens have one MAC only if their bounds are
// the same, however texts are cut up.
func FuzzBoundsAreUnambiguous(f *testing.F) {
	f.Add("a", "b,c", "d", "a", "b,c", "d")
	f.Add("a", "b", "cd", "ab", "", "cd")
	f.Add("", "a,b", "", "", "a b", "")
	f.Fuzz(func(t *testing.T, org1, list1, from1, org2, list2, from2 string) {
		token := func(org, list, from string) Token {
			made := bounded()
			made.Organization.ID, made.RotatedFrom, made.Permissions = OrgID(org), TokenID(from), nil
			if list != "" {
				for part := range strings.SplitSeq(list, ",") {
					made.Permissions = append(made.Permissions, Permission(part))
				}
			}
			return made
		}
		a, b := token(org1, list1, from1), token(org2, list2, from2)
		p := peppers(t, 1)
		if same := p.SealBounds(a) == p.SealBounds(b); same != reflect.DeepEqual(a, b) {
			t.Errorf("same MAC %t of %q %q %q and %q %q %q", same, org1, list1, from1, org2, list2, from2)
		}
	})
}
