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

// question is one exchange with Postgres, with its span if it belongs to a
// request that is traced.
type question struct {
	ctx  context.Context //nolint:containedctx // who asks
	span trace.Span
}

// begin begins a question that is called name. The text of a statement goes into
// the span; its parameters do not.
func begin(ctx context.Context, name, statement string) question {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return question{ctx: ctx}
	}
	_, span := parent.TracerProvider().Tracer("postgres").Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("db.system.name", "postgresql")))
	if statement != "" {
		span.SetAttributes(attribute.String("db.query.text", strings.Join(strings.Fields(statement), " ")))
	}
	return question{ctx, span}
}

// end ends the question. What Postgres has against a statement may repeat values
// of it, so only the code of that is told.
func (q question) end(err error) {
	if q.span == nil {
		return
	}
	if err != nil && !errors.Is(err, io.EOF) {
		q.span.SetStatus(codes.Error, "")
		if said, ok := errors.AsType[*pq.Error](err); ok {
			q.span.SetAttributes(attribute.String("db.response.status_code", string(said.Code)))
		}
	}
	q.span.End()
}

// operation is the first word of a statement.
func operation(statement string) string {
	statement = strings.TrimSpace(statement)
	if end := strings.IndexAny(statement, " \t\n"); end > 0 {
		return statement[:end]
	}
	return statement
}
