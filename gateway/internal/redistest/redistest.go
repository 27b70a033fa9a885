// Package redistest gives tests a real Redis. It guarantees that a test run that counts (CI is set) fails
// without one instead of passing by skipping.
package redistest

import (
	"crypto/rand"
	"os"
	"testing"
)

// URL returns the address of the Redis that TEST_REDIS_URL names. Without it the test is skipped, or
// fails when CI is set.
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

// TokenID returns a token id that no other test and no other run uses: their windows are in the same
// Redis.
func TokenID() string {
	return "tok_" + rand.Text()[:12]
}
