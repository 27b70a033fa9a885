// Package e2e tests the product as its customers meet it: through the gateway
// and nothing else, with real Postgres and Redis, and with things unplugged.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"testing"

	"github.com/quayside/quayside/deploy/apidoc"
	"github.com/quayside/quayside/deploy/collector"
	"github.com/quayside/quayside/deploy/devstack"
)

// stack is the product under test. Tests that unplug a part of it are not
// parallel: Go runs them before it resumes those that are.
var stack *devstack.Stack

// traces is where its programs send their spans.
var traces *collector.Collector

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.MkdirTemp("", "quayside-e2e-")
	if err != nil {
		return 0, err
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		return 0, err
	}
	if traces, err = collector.Start(ctx); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, traces.Close()) }()
	stack, err = devstack.Start(ctx, devstack.Options{
		Root: root, Dir: dir, Race: true, Debug: true, Log: os.Stderr, TrustedProxies: proxy + "/32", TracesTo: traces.URL,
	})
	if err != nil {
		return 0, errors.Join(err, devstack.Clean(dir))
	}
	defer func() { err = errors.Join(err, stack.Close(), devstack.Clean(dir)) }()
	if api, err = apidoc.Load(ctx, stack.URL); err != nil {
		return 0, err
	}
	return m.Run(), stack.VerifyAudit(ctx)
}
