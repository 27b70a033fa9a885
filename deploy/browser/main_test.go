// Package browser tests the pages as people meet them: in a real Chromium,
// through the gateway, with the real services, Postgres and Redis behind it.
//
// Every test has a browser process of its own with an empty profile, and an
// address of its own on the loopback net, so that no test uses up another's
// tries. Tests wait for what they expect, never for time to pass. What a test
// that failed saw last is kept as a picture, whose path it logs.
package browser

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"testing"

	"github.com/quayside/quayside/deploy/collector"
	"github.com/quayside/quayside/deploy/devstack"
)

var update = flag.Bool("update", false, "write the screenshots of tokens-svc's README")

var (
	stack    *devstack.Stack // the product under test; nil without a browser
	traces   *collector.Collector
	chromium string // the browser's path
	axe      string // the source of axe-core
)

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			chromium = path
			break
		}
	}
	if chromium == "" {
		if os.Getenv("CI") != "" {
			return 0, errors.New("no Chromium on PATH; on Debian: apt-get install chromium")
		}
		return m.Run(), nil
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if axe, err = loadAxe(ctx); err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "quayside-browser-")
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
	stack, err = devstack.Start(ctx, devstack.Options{Root: root, Dir: dir, Debug: true, Log: os.Stderr, TracesTo: traces.URL})
	if err != nil {
		return 0, errors.Join(err, devstack.Clean(dir))
	}
	defer func() { err = errors.Join(err, stack.Close(), devstack.Clean(dir)) }()
	return m.Run(), stack.VerifyAudit(ctx)
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
			return "", fmt.Errorf("npm ci in deploy/browser: %w\n%s", err, out)
		}
	}
	source, err := os.ReadFile(script)
	return string(source), err
}
