// Package blackbox tests the product in its shipped configuration: no proxy in
// front, no forwarded address, and input that is malformed, huge, slow or
// generated. It uses the published documents and addresses only.
package blackbox

import (
	"context"
	"os"
	"testing"

	"github.com/quayside/quayside/deploy/test/apidoc"
	"github.com/quayside/quayside/deploy/test/devstack"
	"github.com/quayside/quayside/deploy/test/devstack/stacktest"
)

// The tests in direct_test.go run one after another. Those that wait for
// time-outs are parallel, beside the one that generates requests.
var (
	stack *devstack.Stack
	api   *apidoc.API
)

func TestMain(m *testing.M) {
	os.Exit(stacktest.Main(m, devstack.Options{Race: true}, func(ctx context.Context, s *devstack.Stack) (err error) {
		stack = s
		api, err = apidoc.Load(ctx, s.URL)
		return err
	}))
}
