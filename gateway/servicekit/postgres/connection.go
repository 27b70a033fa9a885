package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
	"time"

	"github.com/google/uuid"
)

// errBroken is the cause of a connection's end: Postgres was not reachable, or
// sent something that is not its protocol.
var errBroken = errors.New("the connection to Postgres is broken")

// connector opens connections that recognize when they are broken.
type connector struct {
	driver.Connector

	observe []func(error)
}

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (opened driver.Conn, err error) {
	guarded := &connection{observe: c.observe}
	defer guarded.begin(ctx, "connect", "").finish(&err)
	inner, err := c.Connector.Connect(ctx)
	switch {
	case errors.Is(err, io.EOF):
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	guarded.Conn = inner.(Conn)
	return guarded, nil
}

// Conn is the part of lib/pq's connections that database/sql uses.
type Conn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.NamedValueChecker
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// connection is one of lib/pq's. On input that it cannot parse, lib/pq returns a
// plain error, keeps the connection or panics: a panic would cost database/sql a
// place in the pool for good, and a connection that is kept may return the rest of
// one answer as the next one's.
type connection struct {
	Conn

	observe []func(error)
	broken  bool
}

// IsValid implements driver.Validator.
func (c *connection) IsValid() bool { return !c.broken && c.Conn.IsValid() }

var uuidType = reflect.TypeFor[uuid.UUID]()

// CheckNamedValue implements driver.NamedValueChecker. An identifier, of a type that is a UUID, is sent as one.
func (c *connection) CheckNamedValue(v *driver.NamedValue) error {
	if id := reflect.ValueOf(v.Value); id.Kind() == reflect.Array && id.CanConvert(uuidType) {
		v.Value = id.Convert(uuidType).Interface().(uuid.UUID).String()
		return nil
	}
	return c.Conn.CheckNamedValue(v)
}

// QueryContext implements driver.QueryerContext.
func (c *connection) QueryContext(ctx context.Context, query string,
	args []driver.NamedValue,
) (result driver.Rows, err error) {
	defer c.begin(ctx, operation(query), query).finish(&err)
	result, err = c.Conn.QueryContext(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return &rows{result, exchange{c, ctx, nil}}, nil
}

// ExecContext implements driver.ExecerContext. The statement may end a transaction
// of its own: as for Commit, the end of the context is an error.
func (c *connection) ExecContext(ctx context.Context, query string,
	args []driver.NamedValue,
) (result driver.Result, err error) {
	defer c.begin(ctx, operation(query), query).finish(&err)
	result, err = c.Conn.ExecContext(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return result, ctx.Err()
}

// BeginTx implements driver.ConnBeginTx.
func (c *connection) BeginTx(ctx context.Context, options driver.TxOptions) (tx driver.Tx, err error) {
	defer c.begin(ctx, "BEGIN", "").finish(&err)
	tx, err = c.Conn.BeginTx(ctx, options)
	if err != nil {
		return nil, err
	}
	return transaction{tx, exchange{c, ctx, nil}}, nil
}

// rows are the rows of a query.
type rows struct {
	driver.Rows
	exchange // the query's, without its span
}

// Next implements driver.Rows. Times are in UTC, whatever the session's time zone.
func (r *rows) Next(row []driver.Value) (err error) {
	defer r.finish(&err)
	err = r.Rows.Next(row)
	for i, value := range row {
		if t, ok := value.(time.Time); ok {
			row[i] = t.UTC()
		}
	}
	return err
}

// Close implements driver.Rows. The end of the rows may be that of a transaction:
// as for Commit, the end of the context is an error.
func (r *rows) Close() (err error) {
	defer r.finish(&err)
	if err := r.Rows.Close(); err != nil {
		return err
	}
	return r.ctx.Err()
}

// transaction is an open transaction.
type transaction struct {
	driver.Tx
	exchange // the transaction's
}

// Commit implements driver.Tx. The end of the context also ends Postgres's wait
// for a synchronous standby, after which it reports success although a failover
// may lose the transaction. It is therefore an error.
func (t transaction) Commit() (err error) {
	defer t.conn.begin(t.ctx, "COMMIT", "").finish(&err)
	if err := t.Tx.Commit(); err != nil {
		return err
	}
	return t.ctx.Err()
}

// Rollback implements driver.Tx.
func (t transaction) Rollback() (err error) {
	defer t.conn.begin(t.ctx, "ROLLBACK", "").finish(&err)
	return t.Tx.Rollback()
}

var _ Conn = (*connection)(nil)
