package postgres

import (
	"context"
	"database/sql/driver"
	"time"
)

// Session is how a pool uses the sessions of its server. The zero value works
// with every server and pooler.
type Session struct {
	// Direct means that no pooler is between: what is set in a session stays
	// with its connection, and so do prepared statements.
	Direct bool
	// AnswerTimeout is that of Options.
	AnswerTimeout time.Duration
}

// SessionOf returns what is right for a DSN: directDSN is the one that leads to
// the server without a pooler.
func SessionOf(dsn, directDSN string) Session { return Session{Direct: dsn == directDSN} }

// initializer makes connections that begin with statements, such as SET.
type initializer struct {
	driver.Connector

	statements string
}

// Initialized returns a connector whose connections execute statements first.
func Initialized(c driver.Connector, statements string) driver.Connector {
	return initializer{c, statements}
}

// Connect implements driver.Connector.
func (i initializer) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := i.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := c.(Conn).ExecContext(ctx, i.statements, nil); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}
