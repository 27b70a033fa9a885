// Package browser tests the pages in a real Chromium, through the gateway, with
// the real services, Postgres and Redis.
//
// Every test has a browser process of its own with an empty profile, and a
// loopback address of its own, so that no test uses up the attempts of another.
// Tests wait for conditions, never for time to pass. A failed test keeps a
// screenshot and logs its path.
package browser

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"github.com/quayside/quayside/deploy/test/devstack"
	"github.com/quayside/quayside/deploy/test/devstack/stacktest"
)

var update = flag.Bool("update", false, "write the screenshots of the documents")

var (
	stack    *devstack.Stack // the product under test; nil without a browser
	chromium string          // the browser's path
	axe      string          // the source of axe-core
)

func TestMain(m *testing.M) {
	flag.Parse()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			chromium = path
			break
		}
	}
	switch {
	case chromium != "":
		env, err := mailbox.listen()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		env = append(env, "LOG_LEVEL=debug", "OTEL_BSP_SCHEDULE_DELAY=100",
			"OTEL_EXPORTER_OTLP_ENDPOINT="+httptest.NewServer(http.HandlerFunc(traces.receive)).URL)
		os.Exit(stacktest.Main(m, devstack.Options{Env: env},
			func(ctx context.Context, s *devstack.Stack) (err error) {
				stack = s
				axe, err = loadAxe(ctx)
				return err
			}))
	case os.Getenv("CI") != "":
		fmt.Fprintln(os.Stderr, "no Chromium on PATH; on Debian: apt-get install chromium")
		os.Exit(1)
	default:
		os.Exit(m.Run())
	}
}

// loadAxe returns axe-core in the version that package-lock.json pins, fetched
// by npm when it is not there yet.
func loadAxe(ctx context.Context) (string, error) {
	const script = "node_modules/axe-core/axe.min.js"
	lock, err := os.Stat("package-lock.json")
	if err != nil {
		return "", err
	}
	if fetched, err := os.Stat("node_modules/.package-lock.json"); err != nil || fetched.ModTime().Before(lock.ModTime()) {
		out, err := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund").CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("npm ci in deploy/test/browser: %w\n%s", err, out)
		}
	}
	source, err := os.ReadFile(script)
	return string(source), err
}
