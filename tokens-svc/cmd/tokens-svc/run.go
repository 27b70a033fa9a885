package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/buildinfo"
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

// command is one of the program's commands.
type command struct {
	name    string // "token create"
	summary string
	run     func(ctx context.Context, p program) error // p.args is what follows the name
}

func commands() []command {
	return []command{
		{"serve", "serve gateways, the management API and pages", serve},
		{"migrate", "migrate the database schema up, or down by one", migrate},
		{"health", "check whether a running server is alive", health},
		{"org create", "create an organization", createOrganization},
		{"user create", "make a person a member of an organization", createUser},
		{"user list", "list accounts, and which are verified", listUsers},
		{"user verify", "mark an account's e-mail address as verified", verifyUser},
		{"user set-password", "give an account a new password", setUserPassword},
		{"user disable", "prevent sign-in to an account", disableUser},
		{"user enable", "enable a disabled account", enableUser},
		{"user end-sessions", "end all sessions of an account", endUserSessions},
		{"user unlink", "remove an account's link to the issuer", unlinkUser},
		{"permissions", "list the permissions that tokens can be granted", listPermissions},
		{"token create", "create a token and print it once", createToken},
		{"token list", "list an organization's tokens", listTokens},
		{"token update", "change a token's permissions, limits or expiry", updateToken},
		{"token rotate", "create a token's successor and print it once", rotateToken},
		{"token hand-over", "make the organization the owner of a token", handOverToken},
		{"token revoke", "revoke a token", revokeToken},
		{"token revoke-changed", "revoke what changed after the state that was restored", revokeChanged},
		{"token check", "show whether a token is valid, and its permissions", checkToken},
		{"audit list", "list the audit log of an organization", listAudit},
		{"audit heads", "print the heads of the audit logs, to be stored elsewhere", printHeads},
		{"audit anchor", "protect audit logs of an earlier version with a key", anchorAudit},
		{"audit verify", "verify audit logs", verifyAudit},
	}
}

// run executes the command named by the arguments. It returns a usageError if they name
// nothing that can be done.
func run(ctx context.Context, p program) error {
	for _, c := range commands() {
		words := strings.Fields(c.name)
		if len(p.args) >= len(words) && strings.Join(p.args[:len(words)], " ") == c.name {
			p.args = p.args[len(words):]
			if err := c.run(ctx, p); !errors.Is(err, errHelp) {
				return err
			}
			return nil
		}
	}
	if len(p.args) == 0 {
		return usagef("a command is missing\n\n%s", overview())
	}
	if p.args[0] == "--version" {
		_, err := io.WriteString(p.stdout, buildinfo.Read().Line("tokens-svc"))
		return err
	}
	if isHelp(p.args[0]) {
		_, err := fmt.Fprint(p.stdout, overview())
		return err
	}
	return usagef("unknown command %q\n\n%s", strings.Join(p.args[:min(2, len(p.args))], " "), overview())
}

func overview() string {
	var b strings.Builder
	b.WriteString("Usage: tokens-svc COMMAND [ARGUMENTS]\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-20s %s\n", c.name, c.summary)
	}
	b.WriteString("  --version         print the version\n\nEach command has help with -h. Configuration is by environment variables; see README.md.\n")
	return b.String()
}

func isHelp(arg string) bool {
	return arg == "help" || arg == "-h" || arg == "-help" || arg == "--help"
}
