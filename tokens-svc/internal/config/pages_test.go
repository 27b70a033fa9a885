package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/people"
)

func TestSignInConfiguration(t *testing.T) {
	t.Parallel()
	issuer := []string{"OIDC_ISSUER=https://issuer.example", "OIDC_CLIENT_ID=quayside", "OIDC_CLIENT_SECRET=s3cret"}
	for name, c := range map[string]struct {
		environ   []string
		passwords bool
	}{
		"nothing is set":          {nil, true},
		"an issuer":               {issuer, false},
		"an issuer and passwords": {append([]string{"LOCAL_SIGN_IN=true"}, issuer...), true},
		"an issuer, no passwords": {append([]string{"LOCAL_SIGN_IN=false"}, issuer...), false},
		"passwords, explicitly":   {[]string{"LOCAL_SIGN_IN=true"}, true},
	} {
		cfg, err := Load(c.environ, Pages)
		if err != nil || cfg.Passwords() != c.passwords {
			t.Errorf("%s: %t, %v", name, cfg.Passwords(), err)
		}
	}
}

func TestPublicURLs(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{
		"https://quayside.example": true, "https://quayside.example:8443/": true, "http://localhost:8080": true,
		"http://127.0.0.1:1": true, "http://[::1]:8080": true, "http://quayside.localhost": true,
		"http://quayside.example": false, "http://localhost.evil.example": false,
		"https://quayside.example/base": false,
		"quayside.example":              false, "ftp://localhost": false, "https://u:p@quayside.example": false,
		"https://quayside.example?x": false, "https://:8443": false,
	} {
		if _, err := Load([]string{"PUBLIC_URL=" + address}, Pages); (err == nil) != good {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := Load([]string{"PUBLIC_URL=http://192.0.2.1:8080", "QUAYSIDE_DEMO=true"}, Pages); err != nil {
		t.Errorf("a demo: %v", err)
	}
}

func TestFactorsAreOffOrOn(t *testing.T) {
	t.Parallel()
	const key = "TOTP_KEYS=1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	for name, c := range map[string]struct {
		environ        []string
		apps, passkeys bool
	}{
		"nothing is set":      {nil, false, true},
		"keys of apps":        {[]string{key}, true, true},
		"no passkeys":         {[]string{"PASSKEYS=false"}, false, false},
		"an address, no name": {[]string{"PUBLIC_URL=http://127.0.0.1:8080"}, false, false},
		"a name without":      {[]string{"PUBLIC_URL=https://quayside", "PASSKEYS=false"}, false, false},
	} {
		cfg, err := Load(c.environ, Pages)
		if err != nil || (cfg.AppKeys != nil) != c.apps || (cfg.Party != nil) != c.passkeys {
			t.Errorf("%s: %v, %v, %v", name, cfg.AppKeys, cfg.Party, err)
		}
	}
	for _, wrong := range []string{
		"TOTP_KEYS=1:AAEC", "TOTP_KEYS=1:ZGVtby10b3RwLWtleS1mb3ItbGFwdG9wcy14eHh4eHg=", "PASSKEYS=perhaps",
		"PUBLIC_URL=https://quayside", // a name that browsers have no passkeys for either
	} {
		if _, err := Load([]string{wrong}, Pages); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}

func TestDomainsAreRead(t *testing.T) {
	t.Parallel()
	const org = "org_01k9x3v7t2e8sbq4m6n0pacdfg"
	for _, c := range []struct {
		issuer, entry string
		want          people.Domain // but for its organization; without a role: the entry is refused
	}{
		{"https://issuer.example", org + ":member, ", people.Domain{Role: "member"}},
		{
			"https://issuer.example", org + ":auditor:tid=72f988bf-86f1",
			people.Domain{Role: "auditor", Claim: "tid", Value: "72f988bf-86f1"},
		},
		{people.Google, org + ":member", people.Domain{Role: "member", Claim: "hd", Value: "Acme.example"}},
		{people.Google, org + ":member:hd=acme.com", people.Domain{Role: "member", Claim: "hd", Value: "acme.com"}},
		{people.Google, org + ":king", people.Domain{}},
		{people.Google, "acme:member", people.Domain{}},
		{people.Google, org + ":member:hd=", people.Domain{}},
		{people.Google, org + ":member:", people.Domain{}},
	} {
		cfg, err := Load([]string{
			"OIDC_ISSUER=" + c.issuer, "OIDC_CLIENT_ID=x", "OIDC_CLIENT_SECRET=y",
			"OIDC_DOMAINS= Acme.example=" + c.entry,
		}, Pages)
		c.want.Organization = org
		if refused := c.want.Role == ""; (err != nil) != refused || !refused && cfg.Domains["acme.example"] != c.want {
			t.Errorf("%s at %s: %+v, %v", c.entry, c.issuer, cfg.Domains, err)
		}
	}
}

func TestAllSignInConfigurationFaultsAreReported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ environ, want []string }{
		"sign-in would be impossible": {[]string{"LOCAL_SIGN_IN=false"}, []string{"sign-in would be impossible"}},
		"half an issuer": {
			[]string{"OIDC_ISSUER=http://issuer.example", "LOCAL_SIGN_IN=perhaps", "OIDC_DOMAINS=acme=x:king"},
			[]string{
				"OIDC_CLIENT_ID is not set", "OIDC_CLIENT_SECRET is not set", "OIDC_ISSUER must be https",
				`LOCAL_SIGN_IN is "perhaps"; it must be true or false`,
				`OIDC_DOMAINS: "acme=x:king" is not like example.com=org_…:member`,
			},
		},
	} {
		_, err := Load(c.environ, Pages)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is missing from:\n%v", name, want, err)
			}
		}
	}
}

func TestMailIsOffOrWhole(t *testing.T) {
	t.Parallel()
	const server, from = "SMTP_URL=smtp://quayside:s3cret@mail.example.com:587", "MAIL_FROM=Quayside <q@example.com>"
	for name, c := range map[string]struct {
		environ  []string
		on, good bool
	}{
		"off":             {nil, false, true},
		"on":              {[]string{server, from}, true, true},
		"without sender":  {[]string{server}, false, false},
		"no port":         {[]string{"SMTP_URL=smtps://quayside:s3cret@mail.example.com", from}, true, true},
		"another scheme":  {[]string{"SMTP_URL=https://quayside:s3cret@mail.example.com", from}, false, false},
		"what is no URL":  {[]string{"SMTP_URL=smtp://quayside:s3cret@mail\x7f", from}, false, false},
		"a path, no host": {[]string{"SMTP_URL=s3cret", from}, false, false},
	} {
		cfg, err := Load(c.environ, Pages)
		if (cfg.Mail != nil) != c.on || (err == nil) != c.good || strings.Contains(fmt.Sprint(err), "s3cret") {
			t.Errorf("%s: %v, %v", name, cfg.Mail != nil, err)
		}
	}
}
