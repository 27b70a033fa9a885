// Command tokens-svc is the authority on organizations and API tokens: a server for gateways, and the operator's
// command line over the same database. Run it without arguments for its commands.
package main

import (
	"context"
	_ "embed" // for the help
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/quayside/quayside/gateway/servicekit/process/buildinfo"
	"github.com/quayside/quayside/gateway/servicekit/process/timerslack"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		timerslack.Relax()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, program{
		args: os.Args[1:], environ: os.Environ(), now: time.Now(),
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
	})
	stop()
	if err != nil {
		// A token that got into an error, as a mistaken argument perhaps, is cut down on the way out.
		_, _ = fmt.Fprint(os.Stderr, tokens.Scrub(fmt.Sprintf("tokens-svc: %v\n", err)))
		os.Exit(1)
	}
}

// newLogger returns a logger of JSON lines. Nothing in this program logs a token; but others put them where they do not
// belong, into a path or a header, so what looks like one is cut down in every line.
func newLogger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: scrub}))
}

func scrub(_ []string, a slog.Attr) slog.Attr {
	switch value := a.Value.Any().(type) {
	case string:
		a.Value = slog.StringValue(tokens.Scrub(value))
	case error:
		a.Value = slog.StringValue(tokens.Scrub(value.Error()))
	}
	return a
}

// program is the input and output of one run of the program.
type program struct {
	args    []string // without the program's name
	environ []string // NAME=value
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	now     time.Time // when it began; a command happens at this instant
}

// commands is the command line. A command's method Run executes it, and its fields are its flags and arguments.
type commands struct {
	Version kong.VersionFlag `help:"Print the version."`

	Serve   serve   `cmd:"" help:"Serve gateways, the management API and pages."`
	Migrate migrate `cmd:"" help:"Migrate the database schema up, or down by one."`
	Health  health  `cmd:"" help:"Check whether a running server is alive."`
	Demo    demo    `cmd:"" help:"Make the organizations, the person and the token of the demo."`
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
		Create tokenCreate `cmd:"" help:"Create a token and print it once."`
		Revoke tokenRevoke `cmd:"" help:"Revoke a token."`
		Check  tokenCheck  `cmd:"" help:"Show whether a token is valid, and its permissions."`
	} `cmd:"" help:"API tokens."`
	Access struct {
		List     accessList     `cmd:"" help:"Print all that gives access."`
		Withdraw accessWithdraw `cmd:"" help:"Withdraw what changed after the state that was restored."`
	} `cmd:"" help:"Tokens, members and sign-ins."`
	Audit struct {
		Verify auditVerify `cmd:"" help:"Verify audit logs."`
	} `cmd:"" help:"Audit logs."`
}

// helpTexts explain commands at length: each begins with a line "# COMMAND".
//
//go:embed help.txt
var helpTexts string

// explain gives the commands their long help.
func explain(k *kong.Kong) error {
	texts := map[string]string{}
	for part := range strings.SplitSeq("\n"+helpTexts, "\n# ") {
		command, text, _ := strings.Cut(part, "\n")
		texts[command] = strings.TrimSpace(text)
	}
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if n, ok := node.(*kong.Node); ok {
			n.Detail = texts[n.Path()]
		}
		return next(nil)
	})
}

// newParser returns a parser of the command line. It calls exit after it has printed help or the version.
func newParser(p program, exit func(int)) *kong.Kong {
	return kong.Must(new(commands),
		kong.Name("tokens-svc"),
		kong.Description("Each command has help with -h. Settings come from the environment."),
		kong.Vars{"version": strings.TrimSpace(buildinfo.Read().Line("tokens-svc"))},
		kong.PostBuild(explain),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.WithHyphenPrefixedParameters(true),
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(exit))
}

// run executes the command line.
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
		return fmt.Errorf("%w\n(tokens-svc COMMAND -h explains each flag)", err)
	}
	command.BindTo(ctx, (*context.Context)(nil))
	return command.Run(p)
}
