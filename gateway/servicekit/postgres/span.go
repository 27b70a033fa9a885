package postgres

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/lib/pq"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// exchange is one exchange with Postgres, with its span if it belongs to a
// request that is traced.
type exchange struct {
	ctx  context.Context //nolint:containedctx // the caller's
	span trace.Span
}

// begin begins an exchange. The text of a statement goes into the span; its
// parameters do not.
func begin(ctx context.Context, name, statement string) exchange {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return exchange{ctx: ctx}
	}
	_, span := parent.TracerProvider().Tracer("postgres").Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("db.system.name", "postgresql")))
	if statement != "" {
		span.SetAttributes(attribute.String("db.query.text", strings.Join(strings.Fields(statement), " ")))
	}
	return exchange{ctx, span}
}

// end ends the exchange. The message of an error of Postgres may repeat values,
// so the span has only its code.
func (e exchange) end(err error) {
	if e.span == nil {
		return
	}
	if err != nil && !errors.Is(err, io.EOF) {
		e.span.SetStatus(codes.Error, "")
		if refused, ok := errors.AsType[*pq.Error](err); ok {
			e.span.SetAttributes(attribute.String("db.response.status_code", string(refused.Code)))
		}
	}
	e.span.End()
}

// operation is the first word of a statement.
func operation(statement string) string {
	statement = strings.TrimSpace(statement)
	if end := strings.IndexAny(statement, " \t\n"); end > 0 {
		return statement[:end]
	}
	return statement
}
