package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/quayside/quayside/gateway/servicekit/process/buildinfo"
)

// program is the input and output of one run of the program.
type program struct {
	args    []string // without the program's name
	environ []string // NAME=value
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	now     time.Time // when it began; a command happens at this instant
}

// commands is the command line. A command's method Run executes it, Help is its
// explanation, and its fields are its flags and arguments.
type commands struct {
	Version kong.VersionFlag `help:"Print the version."`

	Serve   serve   `cmd:"" help:"Serve gateways, the management API and pages."`
	Migrate migrate `cmd:"" help:"Migrate the database schema up, or down by one."`
	Health  health  `cmd:"" help:"Check whether a running server is alive."`
	Demo    demo    `cmd:"" help:"Make the organizations, the person and the tokens of the demo."`
	Org     struct {
		Create orgCreate `cmd:"" help:"Create an organization and print its id."`
	} `cmd:"" help:"Organizations."`
	User struct {
		Create        userCreate        `cmd:"" help:"Make a person a member of an organization."`
		SetPassword   userSetPassword   `cmd:"" help:"Give an account a new password and verify its e-mail address."`
		RemoveFactors userRemoveFactors `cmd:"" help:"Remove an account's authenticator app and passkeys."`
		Disable       userDisable       `cmd:"" help:"Prevent sign-in to an account, and end its sessions."`
		Enable        userEnable        `cmd:"" help:"Enable a disabled account, with its previous password."`
		Unlink        userUnlink        `cmd:"" help:"Remove an account's link to the issuer."`
	} `cmd:"" help:"Accounts and memberships."`
	Token struct {
		Create        tokenCreate        `cmd:"" help:"Create a token and print it once."`
		Revoke        tokenRevoke        `cmd:"" help:"Revoke a token."`
		RevokeChanged tokenRevokeChanged `cmd:"" help:"Revoke what changed after the state that was restored."`
		Check         tokenCheck         `cmd:"" help:"Show whether a token is valid, and its permissions."`
	} `cmd:"" help:"API tokens."`
	Audit struct {
		Verify auditVerify `cmd:"" help:"Verify audit logs."`
	} `cmd:"" help:"Audit logs."`
}

// usageError is a command line that cannot be carried out.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// newParser returns a parser of the command line. It calls exit after it has
// printed help or the version.
func newParser(p program, exit func(int)) *kong.Kong {
	return kong.Must(new(commands),
		kong.Name("tokens-svc"),
		kong.Description("Each command has help with -h. Settings come from the environment."),
		kong.Vars{"version": strings.TrimSpace(buildinfo.Read().Line("tokens-svc"))},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.WithHyphenPrefixedParameters(true),
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(exit))
}

// run executes the command line. It returns a usageError for one that is invalid.
func run(ctx context.Context, p program) error {
	if len(p.args) > 0 && p.args[0] == "help" {
		p.args = []string{"--help"}
	}
	done := false
	command, err := newParser(p, func(int) { done = true }).Parse(p.args)
	switch {
	case done:
		return nil
	case err != nil:
		return usagef("%v\n(tokens-svc COMMAND -h explains each flag)", err)
	}
	command.BindTo(ctx, (*context.Context)(nil))
	return command.Run(p)
}
