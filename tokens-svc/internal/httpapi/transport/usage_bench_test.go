package transport_test

import (
	"fmt"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// BenchmarkUsage is a gateway's report, the whole way through HTTP to Postgres,
// by how many tokens were used since the last.
func BenchmarkUsage(b *testing.B) {
	p := start(b)
	const most = 5_000 // as many as a gateway reports at once
	exec(b, p.dsn, `INSERT INTO api_tokens (id, organization_id, name, environment, permissions, ip_allow, rate_limit,
			rate_window_seconds, created_at, pepper_version, mac, rev)
		SELECT 'tok_' || lpad(n::text, 12, '0'), $1, 'n', 'live', '{admin}', '{}', 100, 60, now(), 1, sha256('x'), n
		FROM generate_series(1, $2) n`, org, most)
	for _, n := range []int{1, 100, most} {
		entries := make([]string, n)
		for i := range entries {
			entries[i] = reportOf(tokens.TokenID(fmt.Sprintf("tok_%012d", i+1)), created, 100, 1)
		}
		body := reports(entries...)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				wantNoContent(b, p.report(b, body, nil))
			}
		})
	}
}
