// Package redistest connects tests to a real Redis. Without one, tests are skipped, or fail when CI is set.
package redistest

import (
	"os"
	"testing"
)

// URL returns the address of the Redis in TEST_REDIS_URL. Without it the test is skipped, or fails when CI is set.
func URL(tb testing.TB) string {
	tb.Helper()
	url := os.Getenv("TEST_REDIS_URL")
	switch {
	case url != "":
		return url
	case os.Getenv("CI") != "":
		tb.Fatal("TEST_REDIS_URL is not set")
	default:
		tb.Skip("TEST_REDIS_URL is not set; make test sets it")
	}
	return ""
}
