// Package e2e tests the product as its customers use it: through the gateway
// only, with real Postgres and Redis, and with components stopped.
package e2e

import (
	"context"
	"os"
	"testing"

	"github.com/quayside/quayside/deploy/test/devstack"
	"github.com/quayside/quayside/deploy/test/devstack/stacktest"
)

// stack is the product under test. Tests that stop a part of it are not
// parallel: Go runs them before it resumes those that are.
var stack *devstack.Stack

// traced has the spans of stack.
var traced collector

func TestMain(m *testing.M) {
	opts := devstack.Options{Race: true, Env: append(traced.listen(), "LOG_LEVEL=debug")}
	os.Exit(stacktest.Main(m, opts, func(ctx context.Context, s *devstack.Stack) (err error) {
		stack = s
		api, err = loadDocuments(ctx, s.URL)
		return err
	}))
}
