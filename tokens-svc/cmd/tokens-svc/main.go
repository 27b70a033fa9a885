// Command tokens-svc is the authority on organizations and API tokens: a
// server for gateways, and the operator's command line over the same database.
// Run it without arguments for its commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"os/user"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/quayside/quayside/gateway/servicekit/process/timerslack"
	"github.com/quayside/quayside/gateway/servicekit/text/plaintext"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Exit codes besides 0.
const (
	exitFailure = 1 // it was tried and did not work, or a checked token is not good
	exitUsage   = 2 // it was not tried: the command line is wrong
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		timerslack.Relax()
	}
	os.Exit(realMain())
}

func realMain() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	audit.CommandLine.Name = operatorName(os.Getenv("QUAYSIDE_OPERATOR"))
	err := run(ctx, program{
		args: os.Args[1:], environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, now: time.Now(),
	})
	return exitCode(err, os.Stderr.WriteString)
}

// operatorName returns the operator's name for the audit log: the name that was
// given, or that of the account in the operating system.
func operatorName(given string) string {
	const name = "command line"
	if given == "" {
		if account, err := user.Current(); err == nil {
			given = account.Username
		}
	}
	given = strings.TrimSpace(strings.ToValidUTF8(tokens.Scrub(given), "?"))
	if plaintext.Blank(given) || strings.ContainsFunc(given, plaintext.Refused) ||
		utf8.RuneCountInString(given) > maxOperator {
		return name
	}
	return name + ": " + given
}

// maxOperator bounds an operator's name, in characters.
const maxOperator = 100

// exitCode prints the error and returns its exit code. A token that got
// into an error, as a mistaken argument perhaps, is cut down on the way out.
func exitCode(err error, say func(string) (int, error)) int {
	if err == nil {
		return 0
	}
	_, _ = say(tokens.Scrub(fmt.Sprintf("tokens-svc: %v\n", err)))
	if _, usage := errors.AsType[*usageError](err); usage {
		return exitUsage
	}
	return exitFailure
}

// newLogger returns a logger of JSON lines. Nothing in this program logs a
// token; but others put them where they do not belong, into a path or a header,
// so what looks like one is cut down in every line.
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
