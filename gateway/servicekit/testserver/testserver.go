// Package testserver has the addresses of the servers that tests use, and what servers under test log.
package testserver

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

// announced has the variables whose absence was announced.
var announced sync.Map

// URL returns the address in a variable of the environment, such as TEST_DATABASE_URL. Without it the test is
// skipped, or fails if CI is set.
func URL(tb testing.TB, variable string) string {
	tb.Helper()
	url := os.Getenv(variable)
	if url == "" {
		missing := variable + " is not set; `make test` sets it"
		if os.Getenv("CI") != "" {
			tb.Fatal(missing)
		}
		announce(variable, missing)
		tb.Skip(missing)
	}
	return url
}

// announce writes once for each test program to the terminal: go test shows
// neither skipped tests nor what programs that pass have written.
func announce(variable, missing string) {
	if _, before := announced.LoadOrStore(variable, true); before {
		return
	}
	if terminal, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil {
		_, _ = fmt.Fprintln(terminal, "SKIPPED: tests that need a server:", missing)
		_ = terminal.Close()
	}
}
