package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lib/pq"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/servicekit/telemetry/spans"
)

// exchange is one exchange with Postgres.
type exchange struct {
	conn *connection
	ctx  context.Context //nolint:containedctx // the caller's; driver.Rows' and driver.Tx' methods have none
	span trace.Span      // nil: none
}

// begin begins an exchange, with a span if it belongs to a request that is traced. The text of a statement goes
// into the span; its parameters do not.
func (c *connection) begin(ctx context.Context, name, statement string) exchange {
	_, span := spans.Child(ctx, name, trace.SpanKindClient)
	if span.IsRecording() {
		span.SetAttributes(attribute.String("db.system.name", "postgresql"),
			attribute.String("db.query.text", strings.Join(strings.Fields(statement), " ")))
	}
	return exchange{c, ctx, span}
}

// finish is deferred. An error that is neither Postgres's own nor the context's marks the connection as broken.
func (e exchange) finish(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("%v", cause)
	}
	server, isServers := errors.AsType[*pq.Error](*err)
	expected := *err == nil || isServers || errors.Is(*err, io.EOF) || errors.Is(*err, driver.ErrBadConn) ||
		errors.Is(*err, context.Canceled) || errors.Is(*err, context.DeadlineExceeded)
	if !expected {
		e.conn.broken = true
		*err = fmt.Errorf("%w: %w", errBroken, *err)
	}
	e.report(*err)
	if e.span == nil {
		return
	}
	if *err != nil && !errors.Is(*err, io.EOF) {
		e.span.SetStatus(codes.Error, "") // the message of an error of Postgres may repeat values
		if isServers {
			e.span.SetAttributes(attribute.String("db.response.status_code", string(server.Code)))
		}
	}
	e.span.End()
}

// report passes to the observers whether Postgres can serve. A cancelled exchange
// shows nothing about that.
func (e exchange) report(err error) {
	if errors.Is(e.ctx.Err(), context.Canceled) {
		return
	}
	if errors.Is(err, io.EOF) || !Unavailable(err) { // the end of rows, or a refused statement
		err = nil
	}
	for _, observe := range e.conn.observe {
		observe(err)
	}
}

// operation is the first word of a statement.
func operation(statement string) string {
	if words := strings.Fields(statement[:min(len(statement), 40)]); len(words) > 0 {
		return words[0]
	}
	return ""
}
