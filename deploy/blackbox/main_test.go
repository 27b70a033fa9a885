// Package blackbox tests the product in its shipped configuration as a client
// of docker compose meets it: no proxy in front, no forwarded address, and
// input that is wrong, huge, slow or generated. It knows the published
// documents and addresses and nothing else.
package blackbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"testing"

	"github.com/quayside/quayside/deploy/apidoc"
	"github.com/quayside/quayside/deploy/devstack"
)

var (
	stack *devstack.Stack
	api   *apidoc.API
)

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
	dir, err := os.MkdirTemp("", "quayside-blackbox-")
	if err != nil {
		return 0, err
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		return 0, err
	}
	stack, err = devstack.Start(ctx, devstack.Options{Root: root, Dir: dir, Race: true, Log: os.Stderr})
	if err != nil {
		return 0, errors.Join(err, devstack.Clean(dir))
	}
	defer func() { err = errors.Join(err, stack.Close(), devstack.Clean(dir)) }()
	if api, err = apidoc.Load(ctx, stack.URL); err != nil {
		return 0, err
	}
	return m.Run(), nil
}
