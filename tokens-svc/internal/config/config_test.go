package config

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/settings"
)

const (
	dsn    = "postgres://tokens:s3cret@db:5432/tokens"
	shared = "0123456789abcdef0123456789abcdef"
	demo   = "demo-0123456789abcdef0123456789abcdef"
)

var pepper = "1:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("p", 32)))

var all = []Need{Database, Peppers, Gateways, Pages}

// environ is a good environment, changed by more.
func environ(more ...string) []string {
	return append([]string{"DATABASE_URL=" + dsn, "GATEWAY_CREDENTIAL=" + shared, "TOKEN_PEPPERS=" + pepper}, more...)
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	got, err := Load(environ(), all...)
	want := Settings{
		Service:       settings.Service{DatabaseURL: dsn, GatewayIssuer: "quayside-gateway"},
		ListenAddress: ":8082", GatewaysAddress: ":8092", InnerAddress: ":9082", PublicURL: "http://localhost:8080",
		OIDCVerifiedClaim: "email_verified", MaxActiveTokens: 1000, Passkeys: true,
		GatewayCredential: shared, TokenPeppers: pepper,
	}
	if err != nil || got.Settings != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

// TestEachCommandNeedsOnlyItsOwnConfiguration: health runs in containers that hold no secret.
func TestEachCommandNeedsOnlyItsOwnConfiguration(t *testing.T) {
	t.Parallel()
	if _, err := Load(nil); err != nil {
		t.Errorf("nothing is needed: %v", err)
	}
	if _, err := Load([]string{"DATABASE_URL=" + dsn}, Database); err != nil {
		t.Errorf("the database is needed: %v", err)
	}
}

func TestAllFaultsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		environ []string
		want    []string
	}{
		"nothing is set": {nil, []string{
			"DATABASE_URL is not set", "TOKEN_PEPPERS is not set; make one with",
			"GATEWAY_CREDENTIAL is not set; make one with",
		}},
		"everything is wrong": {
			[]string{
				"DATABASE_URL=postgres://u:s3cret@[::1/x", "TOKEN_PEPPERS=1:c2hvcnQ=", "GATEWAY_CREDENTIAL=s3cret",
				"DATABASE_DIRECT_URL=postgres://u:s3cret@[::1/x", "LOG_LEVEL=loud", "QUAYSIDE_DEMO=perhaps",
				"OIDC_ISSUER=https://issuer.example", "OIDC_CLIENT_SECRET_FILE=/dev/null",
			},
			[]string{
				"DATABASE_URL is not a Postgres URL", "DATABASE_DIRECT_URL is not a Postgres URL",
				"TOKEN_PEPPERS: entry 1: version 1 has 5 bytes",
				"GATEWAY_CREDENTIAL: entry 1 has 6 bytes",
				`LOG_LEVEL is "loud"; it must be debug, info, warn or error`,
				`QUAYSIDE_DEMO is "perhaps"; it must be true or false`,
				"OIDC_CLIENT_SECRET_FILE: /dev/null is empty", "OIDC_CLIENT_ID is not set",
			},
		},
		"files are empty": {
			[]string{"DATABASE_URL_FILE=/dev/null", "TOKEN_PEPPERS_FILE=/dev/null", "GATEWAY_CREDENTIAL_FILE=/dev/null"},
			[]string{
				"DATABASE_URL_FILE: /dev/null is empty", "TOKEN_PEPPERS_FILE: /dev/null is empty",
				"GATEWAY_CREDENTIAL_FILE: /dev/null is empty",
			},
		},
		"everybody knows it": {
			[]string{
				"DATABASE_URL=postgres://u:demo-s3cret@db/tokens", "GATEWAY_CREDENTIAL=" + shared + "," + demo,
				"TOKEN_PEPPERS=" + pepper + ",2:" + base64.StdEncoding.EncodeToString([]byte(demo)),
			},
			[]string{
				"DATABASE_URL has a demo password", "GATEWAY_CREDENTIAL has a demo secret",
				"TOKEN_PEPPERS has a demo key",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(c.environ, all...)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is missing from:\n%v", want, err)
				}
			}
			if strings.Contains(err.Error(), "_FILE: ") && strings.Contains(err.Error(), "TOKEN_PEPPERS is not set") {
				t.Errorf("a fault is reported twice:\n%v", err)
			}
			for _, secret := range []string{"s3cret", demo, pepper, "c2hvcnQ"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%q is repeated in:\n%v", secret, err)
				}
			}
		})
	}
}

func TestDemoAcceptsTheBuiltInSecrets(t *testing.T) {
	t.Parallel()
	_, err := Load([]string{
		"QUAYSIDE_DEMO=true", "DATABASE_URL=host=db user=u password=demo-x", "GATEWAY_CREDENTIAL=" + demo,
		"TOKEN_PEPPERS=1:" + base64.StdEncoding.EncodeToString([]byte(demo)),
	}, all...)
	if err != nil {
		t.Error(err)
	}
}
