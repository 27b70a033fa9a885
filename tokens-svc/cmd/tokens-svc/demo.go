package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// The organizations of the demo, which have shipments from `shipments-svc demo`.
const (
	capeFresh  tokens.OrgID = "org_01m8404zpdf6tt1d0zer9d0tv8"
	valleVerde tokens.OrgID = "org_01m8404zpdfg3s9tscegssfg2v"
)

// demo makes organizations, a person and tokens to try the product with.
type demo struct {
	File string `required:"" placeholder:"PATH" help:"Where the sign-in and the tokens are kept, as lines for a shell."`
	URL  string `required:"" help:"The address of the gateway for clients."`
}

func (demo) Help() string {
	return `Makes two organizations, a person who can sign in, and tokens that never expire,
and writes what is needed to use them to a file and to standard output. With a
file whose token is valid it makes nothing. Without QUAYSIDE_DEMO=true it does nothing.`
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
	if _, err := output(ctx, p, tokenCheck{}, made["QUAYSIDE_TOKEN"]); err != nil {
		if err := makeDemo(ctx, p, made); err != nil {
			return err
		}
	}
	var file strings.Builder
	for _, name := range []string{
		"URL", "ORGANIZATION", "TOKEN", "TOKEN_READONLY", "TOKEN_OTHER_ORG", "USER", "PASSWORD",
	} {
		fmt.Fprintf(&file, "QUAYSIDE_%s=%s\n", name, made["QUAYSIDE_"+name])
	}
	if err := os.WriteFile(c.File, []byte(file.String()), 0o600); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, welcome, made["QUAYSIDE_URL"], made["QUAYSIDE_USER"], made["QUAYSIDE_PASSWORD"],
		made["QUAYSIDE_TOKEN"])
	return err
}

func makeDemo(ctx context.Context, p program, made map[string]string) (err error) {
	made["QUAYSIDE_ORGANIZATION"] = string(capeFresh)
	for _, org := range []orgCreate{{Name: "Cape Fresh Exports", ID: capeFresh}, {Name: "Valle Verde", ID: valleVerde}} {
		if _, err := output(ctx, p, org, ""); err != nil && !errors.Is(err, tokens.ErrExists) {
			return err
		}
	}
	for name, token := range map[string]tokenCreate{
		"QUAYSIDE_TOKEN":           demoToken(capeFresh, "admin"),
		"QUAYSIDE_TOKEN_READONLY":  demoToken(capeFresh, "shipments:read"),
		"QUAYSIDE_TOKEN_OTHER_ORG": demoToken(valleVerde, "admin"),
	} {
		if made[name], err = output(ctx, p, token, ""); err != nil {
			return err
		}
	}
	// An account that exists keeps its password, which only the file of another demo has.
	for _, address := range []string{"demo@quayside.example", "demo-" + rand.Text() + "@quayside.example"} {
		made["QUAYSIDE_USER"] = address
		user := userCreate{Email: address, Organization: capeFresh, Role: "owner"}
		if made["QUAYSIDE_PASSWORD"], err = output(ctx, p, user, "\n"); err != nil {
			return err
		}
		if made["QUAYSIDE_PASSWORD"] != "" {
			break
		}
	}
	_, err = output(ctx, p, userCreate{Email: made["QUAYSIDE_USER"], Organization: valleVerde, Role: "member"}, "\n")
	return err
}

func demoToken(org tokens.OrgID, permission string) tokenCreate {
	return tokenCreate{Organization: org, Name: "demo", Permissions: []string{permission}, NoExpiry: true}
}

// output runs another command and returns what it prints on standard output.
func output(
	ctx context.Context, p program, command interface {
		Run(context.Context, program) error
	}, input string,
) (string, error) {
	var stdout, stderr bytes.Buffer
	p.stdin, p.stdout, p.stderr = strings.NewReader(input), &stdout, &stderr
	err := command.Run(ctx, p)
	return strings.TrimSpace(stdout.String()), err
}

const welcome = `
  settings   %[1]s/settings
  sign-in    %[2]s
  password   %[3]s

  API        %[1]s/api/v1
  docs       %[1]s/docs

Try it:

  curl -H 'Authorization: Bearer %[4]s' %[1]s/api/v1/shipments
`
