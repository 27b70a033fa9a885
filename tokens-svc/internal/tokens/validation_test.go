package tokens

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func draft(change func(*Draft)) Draft {
	d := Draft{Name: "ERP", Permissions: []string{"shipments:read"}}
	if change != nil {
		change(&d)
	}
	return d
}

func TestDraftIsNormalized(t *testing.T) {
	t.Parallel()
	got, err := draft(func(d *Draft) {
		d.Name = "  ERP Kraków  "
		d.Permissions = []string{"shipments:write", "documents:read", "shipments:write"}
		d.IPAllow = []string{"2001:db8::/32", "192.0.2.7", "10.0.0.0/8", "192.0.2.7/32", "2001:db8::1"}
		d.ExpiresAt = noon.Add(time.Hour + 1500*time.Microsecond).In(time.FixedZone("", 3600))
	}).check(builtIn(), Operator(), noon)
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "ERP Kraków" {
		t.Errorf("name %q", got.Name)
	}
	if !slices.Equal(got.Permissions, []Permission{"documents:read", "shipments:write"}) {
		t.Errorf("permissions %v", got.Permissions)
	}
	if s := fmt.Sprint(got.IPAllow); s != "[10.0.0.0/8 192.0.2.7/32 2001:db8::/32 2001:db8::1/128]" {
		t.Errorf("ip_allow %s", s)
	}
	if want := noon.Add(time.Hour).Truncate(time.Second); got.ExpiresAt != want {
		t.Errorf("expires_at %s, want %s", got.ExpiresAt, want)
	}
}

func TestDraftFaultsNameTheirFields(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Draft)
		want   string
	}{
		"no name": {func(d *Draft) { d.Name = " \t" }, "name: is required"},
		"long name": {
			func(d *Draft) { d.Name = strings.Repeat("ł", 101) },
			"name: has 101 characters; at most 100",
		},
		"NUL in name":     {func(d *Draft) { d.Name = "a\x00b" }, "name: must be UTF-8 without control"},
		"direction marks": {func(d *Draft) { d.Name = "a\u202eb" }, "characters that change the direction of text"},
		"broken UTF-8":    {func(d *Draft) { d.Name = "a\xffb" }, "name: must be UTF-8 without control"},
		"token as name": {
			func(d *Draft) { d.Name = "shpt_live_4fZyo82mVyR1_Qm3p" },
			"name: holds what looks like a token",
		},
		"no permissions": {
			func(d *Draft) { d.Permissions = nil },
			"permissions: is required: name at least one of admin,",
		},
		"unknown one": {func(d *Draft) { d.Permissions = []string{"shipments:raed"} }, "did you mean shipments:read?"},
		"nonsense": {
			func(d *Draft) { d.Permissions = []string{"$(id)"} },
			`permissions: holds an unknown permission "$(id)"`,
		},
		"token as one": {
			func(d *Draft) { d.Permissions = []string{"shpt_secret"} },
			`permissions: holds an unknown permission "shpt_…"`,
		},
		"environment": {func(d *Draft) { d.Environment = "prod" }, "environment: must be live or test"},
		"expired":     {func(d *Draft) { d.ExpiresAt = noon }, "expires_at: must be in the future"},
		"year 10000":  {func(d *Draft) { d.ExpiresAt = lastExpiry }, "expires_at: must be before the year 10000"},
		"not an address": {
			func(d *Draft) { d.IPAllow = []string{"example.org"} },
			`ip_allow: "example.org": not an address`,
		},
		"bits beyond": {func(d *Draft) { d.IPAllow = []string{"192.0.2.1/24"} }, "did you mean 192.0.2.0/24?"},
		"mapped":      {func(d *Draft) { d.IPAllow = []string{"::ffff:192.0.2.0/120"} }, "write an IPv4 range as such"},
		"zone":        {func(d *Draft) { d.IPAllow = []string{"fe80::1%eth0"} }, "not an address"},
		"too many": {
			func(d *Draft) { d.IPAllow = slices.Repeat([]string{"192.0.2.1"}, 101) },
			"ip_allow: has 101 entries",
		},
		"negative limit": {func(d *Draft) { d.RateLimit.Limit = -1 }, "limit: must be from 1 to 1000000"},
		"great limit":    {func(d *Draft) { d.RateLimit.Limit = 1_000_001 }, "limit: must be from 1 to 1000000"},
		"long window": {
			func(d *Draft) { d.RateLimit.WindowSeconds = 90_000 },
			"window_seconds: must be from 1 to 86400",
		},
		"several at a time": {func(d *Draft) { *d = Draft{} }, "name: is required; permissions: is required"},
	} {
		_, err := draft(c.change).check(builtIn(), Operator(), noon)
		wrong, ok := errors.AsType[*ValidationError](err)
		if !ok || !strings.Contains(wrong.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		token Token
		want  Status
	}{
		"neither":                {Token{}, StatusActive},
		"a moment before expiry": {Token{ExpiresAt: noon.Add(1)}, StatusActive},
		"at expiry":              {Token{ExpiresAt: noon}, StatusExpired},
		"after expiry":           {Token{ExpiresAt: noon.Add(-1)}, StatusExpired},
		"revoked":                {Token{RevokedAt: noon}, StatusRevoked},
		"revoked, then expired":  {Token{RevokedAt: noon.Add(-2), ExpiresAt: noon.Add(-1)}, StatusRevoked},
	} {
		if got := c.token.Status(noon); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
