package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// The organizations and the person of the demo, who have shipments and a history from `shipments-svc demo`.
const (
	capeFresh  tokens.OrgID = "org_01m8404zpdf6tt1d0zer9d0tv8"
	valleVerde tokens.OrgID = "org_01m8404zpdfg3s9tscegssfg2v"

	demoPerson people.UserID = "usr_01m7xzb0gyf3yvmqk8d2c5e7ha"
)

// demo makes organizations, a person and tokens to try the product with.
type demo struct {
	File string `required:"" placeholder:"PATH" help:"Where the sign-in and the tokens are kept, as lines for a shell."`
	URL  string `required:"" help:"The address of the gateway for clients."`
}

func (c demo) Run(ctx context.Context, p program) error {
	cfg, err := config.Load(p.environ)
	if err != nil {
		return err
	}
	if !cfg.Demo {
		_, err := fmt.Fprintln(p.stdout, "no demo data: QUAYSIDE_DEMO is not true")
		return err
	}
	made := map[string]string{}
	if text, err := os.ReadFile(c.File); err == nil {
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			made[name] = value
		}
	}
	made["QUAYSIDE_URL"] = strings.TrimSuffix(c.URL, "/")
	err = withServices(p, func(s services) error {
		known, _ := tokens.Parse(made["QUAYSIDE_TOKEN"])
		if found, err := s.tokens.Introspect(ctx, known); err != nil || found.Outcome == tokens.OutcomeActive {
			return err
		}
		return makeDemo(ctx, s, made)
	}, config.Peppers)
	if err != nil {
		return err
	}
	var file strings.Builder
	for _, name := range []string{"URL", "ORGANIZATION", "TOKEN", "USER", "PASSWORD"} {
		fmt.Fprintf(&file, "QUAYSIDE_%s=%s\n", name, made["QUAYSIDE_"+name])
	}
	if err := os.WriteFile(c.File, []byte(file.String()), 0o600); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, welcome, made["QUAYSIDE_URL"], made["QUAYSIDE_USER"], made["QUAYSIDE_PASSWORD"],
		made["QUAYSIDE_TOKEN"])
	return err
}

func makeDemo(ctx context.Context, s services, made map[string]string) error {
	made["QUAYSIDE_ORGANIZATION"] = string(capeFresh)
	for org, name := range map[tokens.OrgID]string{capeFresh: "Cape Fresh Exports", valleVerde: "Valle Verde"} {
		_, err := s.tokens.CreateOrganization(ctx, tokens.Operator(), org, name)
		if err != nil && !errors.Is(err, tokens.ErrExists) {
			return err
		}
	}
	_, secret, err := s.tokens.CreateToken(ctx, tokens.Operator(), capeFresh,
		tokens.Draft{Name: "demo", Permissions: []string{"admin"}})
	if err != nil {
		return err
	}
	made["QUAYSIDE_TOKEN"] = secret.Reveal()
	user := people.Enrolment{ID: demoPerson, Email: "demo@quayside.example", Role: "owner", Password: rand.Text()}
	user.Organization = capeFresh
	_, created, err := s.people.Enroll(ctx, user)
	if err == nil && !created {
		// An account that exists keeps its password, which only the file of another demo has.
		user.ID, user.Email = "", "demo-"+strings.ToLower(rand.Text())+"@quayside.example"
		_, _, err = s.people.Enroll(ctx, user)
	}
	if err != nil {
		return err
	}
	made["QUAYSIDE_USER"], made["QUAYSIDE_PASSWORD"] = user.Email, user.Password
	user.Organization, user.Role = valleVerde, "member"
	_, _, err = s.people.Enroll(ctx, user)
	return err
}

const welcome = `
  shipments  %[1]s/shipments
  sign-in    %[2]s
  password   %[3]s

  API        %[1]s/api/v1
  docs       %[1]s/docs

Try it, in another terminal:

  curl -H 'Authorization: Bearer %[4]s' %[1]s/api/v1/shipments
`
