package devstack

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/lib/pq"
)

// servingLogin is the login of tokens-svc, which has the rights that migrate up grants.
const servingLogin = "tokens_serve"

// migrate migrates the database of a service. On the stack's own Postgres server
// tokens-svc connects as servingLogin from then on.
func (s *Stack) migrate(ctx context.Context, p *Program) error {
	if p.Name != "tokens-svc" || s.database == nil {
		_, err := p.Run(ctx, nil, "migrate", "up")
		return err
	}
	if err := s.createLogin(ctx); err != nil {
		return fmt.Errorf("login %s: %w", servingLogin, err)
	}
	p.Env = append(p.Env, "SERVE_LOGIN="+servingLogin)
	if _, err := p.Run(ctx, nil, "migrate", "up"); err != nil {
		return err
	}
	for i, setting := range p.Env {
		name, value, _ := strings.Cut(setting, "=")
		if !slices.Contains([]string{"DATABASE_URL", "DATABASE_DIRECT_URL"}, name) {
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

func (s *Stack) createLogin(ctx context.Context) error {
	db, err := sql.Open("postgres", s.dsn["tokens"])
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var exists bool
	err = db.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", servingLogin).Scan(&exists)
	if err == nil && !exists {
		_, err = db.ExecContext(ctx, "CREATE ROLE "+servingLogin+" LOGIN")
	}
	if err == nil {
		_, err = db.ExecContext(ctx, "ALTER ROLE "+servingLogin+" PASSWORD "+pq.QuoteLiteral(s.secrets.tokensPostgres))
	}
	return err
}
