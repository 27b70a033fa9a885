package postgres

import "context"

// LiveTokensByPepper returns how many tokens that are neither revoked nor
// expired need each version of the pepper, for their digest or for the MAC of
// their bounds. Those that have no such MAC are counted under version 0.
func (r *Repository) LiveTokensByPepper(ctx context.Context) (map[int]int, error) {
	type countRow struct{ Digest, Bounds, Tokens int }
	rows, err := list[countRow](ctx, r.db, `
		SELECT pepper_version AS digest, coalesce(bounds_version, 0) AS bounds, count(*) AS tokens FROM api_tokens
		WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) GROUP BY 1, 2`)
	counts := map[int]int{}
	for _, row := range rows {
		counts[row.Digest] += row.Tokens
		if row.Bounds != row.Digest {
			counts[row.Bounds] += row.Tokens
		}
	}
	return counts, err
}
