package devstack

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"

	"github.com/lib/pq"
)

// servingLogin is the login of tokens-svc once its database is migrated. It may
// act as the role quayside_tokens, and has no other right.
const servingLogin = "tokens_serve"

// restrictLogin makes a program connect as servingLogin from now on. It does
// nothing on a Postgres server that is not the stack's own.
func (s *Stack) restrictLogin(ctx context.Context, p *Program) error {
	if s.database == nil {
		return nil
	}
	db, err := sql.Open("postgres", s.dsn["tokens"])
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var exists bool
	err = db.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", servingLogin).Scan(&exists)
	if err == nil && !exists {
		_, err = db.ExecContext(ctx, "CREATE ROLE "+servingLogin+" LOGIN NOINHERIT IN ROLE quayside_tokens")
	}
	if err == nil {
		_, err = db.ExecContext(ctx, "ALTER ROLE "+servingLogin+" PASSWORD "+pq.QuoteLiteral(s.secrets.tokensPostgres))
	}
	if err != nil {
		return fmt.Errorf("login %s: %w", servingLogin, err)
	}
	for i, setting := range p.Env {
		name, value, _ := strings.Cut(setting, "=")
		if name != "DATABASE_URL" && name != "DATABASE_DIRECT_URL" {
			continue
		}
		u, err := url.Parse(value)
		if err != nil {
			return err
		}
		u.User = url.UserPassword(servingLogin, s.secrets.tokensPostgres)
		p.Env[i] = name + "=" + u.String()
	}
	return nil
}
