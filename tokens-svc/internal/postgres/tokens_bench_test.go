package postgres_test

import (
	"fmt"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// BenchmarkFindToken measures what an introspection reads, among 1,000 tokens and among 1,000,000.
func BenchmarkFindToken(b *testing.B) {
	for _, n := range []int{1000, 1_000_000} {
		dsn := fresh(b)
		repo := open(b, dsn)
		organization(b, repo)
		fill(b, dsn, n)
		b.Run(fmt.Sprintf("tokens=%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				_, _, err := repo.FindToken(b.Context(), tokens.TokenID(fmt.Sprintf("tok_%012d", 1+i*7919%n)))
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
