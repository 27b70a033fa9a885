package postgres

import "context"

// LiveTokensByPepper returns how many tokens that are neither revoked nor
// expired need each version of the pepper.
func (r *Repository) LiveTokensByPepper(ctx context.Context) (map[int]int, error) {
	var rows []struct {
		Version int `db:"pepper_version"`
		Tokens  int `db:"tokens"`
	}
	err := r.db.SelectContext(ctx, &rows, `
		SELECT pepper_version, count(*) AS tokens FROM api_tokens
		WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) GROUP BY pepper_version`)
	if err != nil {
		return nil, translate(err)
	}
	counts := make(map[int]int, len(rows))
	for _, row := range rows {
		counts[row.Version] = row.Tokens
	}
	return counts, nil
}
