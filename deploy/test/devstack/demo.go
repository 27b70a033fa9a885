package devstack

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Demo is the demo data.
type Demo struct {
	Organization  string // has shipments in every status
	Token         string // of Organization, with all permissions
	TokenReadOnly string // of Organization, with shipments:read
	TokenOtherOrg string // of another organization, which has one shipment
	User          string // e-mail of an owner of Organization, who is a member of the other
	Password      string // of User
}

//go:embed demo/cape_fresh.json
var capeFresh []byte

//go:embed demo/valle_verde.json
var valleVerde []byte

// seed fills Demo from the demo.env of an earlier start with this database, or
// creates organizations, a user, tokens and shipments.
func (s *Stack) seed(ctx context.Context) error {
	path := filepath.Join(s.opts.Dir, "demo.env")
	if old, err := os.ReadFile(path); err == nil { //nolint:gosec // G304: our own file
		s.Demo = readDemo(string(old))
	}
	if !s.demoWorks(ctx) {
		if err := s.createDemo(ctx); err != nil {
			return fmt.Errorf("demo data: %w", err)
		}
		s.say("seeded    two organizations with shipments in every status, and %s", s.Demo.User)
	}
	return os.WriteFile(path, []byte(s.Demo.env(s.URL)), 0o600)
}

// demoWorks reports whether there is a demo whose token the gateway accepts. One
// without a user is of an earlier version.
func (s *Stack) demoWorks(ctx context.Context) bool {
	if s.Demo.Token == "" || s.Demo.Password == "" {
		return false
	}
	got, err := status(ctx, s.URL+"/api/v1/token", s.Demo.Token)
	return err == nil && got != http.StatusUnauthorized
}

func (s *Stack) createDemo(ctx context.Context) (err error) {
	s.Demo = Demo{}
	var other string
	for _, org := range []struct {
		name      string
		shipments []byte
		tokens    map[string]*string // where the token of these permissions goes
		id        *string
	}{
		{"Cape Fresh Exports", capeFresh, map[string]*string{
			"admin": &s.Demo.Token, "shipments:read": &s.Demo.TokenReadOnly,
		}, &s.Demo.Organization},
		{"Valle Verde", valleVerde, map[string]*string{"admin": &s.Demo.TokenOtherOrg}, &other},
	} {
		if *org.id, err = s.CreateOrganization(ctx, org.name); err != nil {
			return err
		}
		if _, err := s.Program("shipments-svc").Run(ctx, bytes.NewReader(org.shipments),
			"seed", "--organization", *org.id); err != nil {
			return err
		}
		for permissions, secret := range org.tokens {
			token, err := s.CreateToken(ctx, *org.id, permissions, "--no-expiry")
			if err != nil {
				return err
			}
			*secret = token.Secret
		}
	}
	return s.createPerson(ctx, other)
}

// createPerson creates the user of the demo. Its address is in use only if
// another checkout seeded the database.
func (s *Stack) createPerson(ctx context.Context, other string) (err error) {
	for _, s.Demo.User = range []string{"demo@quayside.example", s.Demo.Organization + "@quayside.example"} {
		if s.Demo.Password, err = s.CreateUser(ctx, s.Demo.User, s.Demo.Organization, "owner"); err != nil {
			return err
		}
		if s.Demo.Password != "" {
			break
		}
	}
	_, err = s.CreateUser(ctx, s.Demo.User, other, "member")
	return err
}

// env formats the demo as lines for a shell.
func (d Demo) env(url string) string {
	return fmt.Sprintf("QUAYSIDE_URL=%s\nQUAYSIDE_ORGANIZATION=%s\nQUAYSIDE_TOKEN=%s\n"+
		"QUAYSIDE_TOKEN_READONLY=%s\nQUAYSIDE_TOKEN_OTHER_ORG=%s\n"+
		"QUAYSIDE_USER=%s\nQUAYSIDE_PASSWORD=%s\n",
		url, d.Organization, d.Token, d.TokenReadOnly, d.TokenOtherOrg, d.User, d.Password)
}

func readDemo(env string) Demo {
	vars := map[string]string{}
	for line := range strings.Lines(env) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		vars[name] = value
	}
	return Demo{
		Organization:  vars["QUAYSIDE_ORGANIZATION"],
		Token:         vars["QUAYSIDE_TOKEN"],
		TokenReadOnly: vars["QUAYSIDE_TOKEN_READONLY"],
		TokenOtherOrg: vars["QUAYSIDE_TOKEN_OTHER_ORG"],
		User:          vars["QUAYSIDE_USER"],
		Password:      vars["QUAYSIDE_PASSWORD"],
	}
}
