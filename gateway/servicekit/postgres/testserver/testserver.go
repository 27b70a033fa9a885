// Package testserver names the Postgres server of tests.
package testserver

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

const missing = "TEST_DATABASE_URL is not set; `make test` sets it"

// announce writes once for each test program to the terminal: go test shows
// neither skipped tests nor what programs that pass have written.
var announce = sync.OnceFunc(func() {
	terminal, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return // no terminal
	}
	_, _ = fmt.Fprintln(terminal, "SKIPPED: tests that need Postgres:", missing)
	_ = terminal.Close()
})

// URL returns TEST_DATABASE_URL, a server where databases may be created. Without
// it the test is skipped, or fails if CI is set.
func URL(tb testing.TB) string {
	tb.Helper()
	url := os.Getenv("TEST_DATABASE_URL")
	if url == "" {
		if os.Getenv("CI") != "" {
			tb.Fatal(missing)
		}
		announce()
		tb.Skip(missing)
	}
	return url
}
