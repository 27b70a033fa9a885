package httpserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/servicekit/telemetry/redact"
)

// StatusClientGone is the status in logs and metrics of a request whose client closed the
// connection before the response. The number is nginx's; no client receives it.
const StatusClientGone = 499

// AccessLog logs one line for each request, with attrs, which identify it, and the
// error given to Explain; it also completes the span and the metrics of Instrument.
// The line of a request whose span is recorded has its trace_id and span_id.
// Queries, headers and bodies are not logged, and paths up to where a secret may
// begin only.
//
// A panic in next is logged with its stack, unless it is http.ErrAbortHandler. The
// response is that of onPanic; one that has begun is aborted, so that the client sees
// that it is incomplete. A request that was aborted after its client had gone is a
// StatusClientGone.
func AccessLog(
	log *slog.Logger, attrs func(*http.Request) []slog.Attr, onPanic http.HandlerFunc, next http.Handler,
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, ctx := time.Now(), r.Context()
		rec := &recorder{ResponseWriter: w}
		defer func() {
			if cause := recover(); cause != nil {
				aborted := cause == any(http.ErrAbortHandler)
				if !aborted {
					log.LogAttrs(ctx, slog.LevelError, "panic",
						append(attrs(r), slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))...)
				}
				if aborted && errors.Is(ctx.Err(), context.Canceled) {
					rec.status = StatusClientGone
				}
				if rec.status != 0 {
					defer panic(http.ErrAbortHandler) // net/http does not log it again
				} else {
					onPanic(rec, r)
				}
			}
			if rec.status == 0 {
				rec.status = http.StatusOK // the default of net/http
			}
			identity, took := attrs(r), time.Since(start)
			describe(ctx, r, rec.status, identity)
			measure(r, rec.status, took)
			line := append(identity,
				slog.String("method", r.Method), slog.String("path", redact.Path(r.URL.EscapedPath())),
				slog.Int("status", rec.status), slog.Int64("bytes", rec.bytes),
				slog.Float64("seconds", took.Seconds()))
			if rec.cause != nil {
				line = append(line, slog.String("error", rec.cause.Error()))
			}
			if span := trace.SpanContextFromContext(ctx); span.IsSampled() {
				line = append(line,
					slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
			}
			log.LogAttrs(ctx, slog.LevelInfo, "request", line...)
		}()
		next.ServeHTTP(rec, r)
	})
}

// Explain adds err to the log line of the request of w: the cause of a failure that
// the response does not show.
func Explain(w http.ResponseWriter, err error) {
	for w != nil {
		if rec, ok := w.(*recorder); ok {
			rec.cause = err
			return
		}
		inner, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return
		}
		w = inner.Unwrap()
	}
}

// recorder records the final status and the size of a response, and the cause of a failure.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	cause  error
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && (status >= http.StatusOK || status == http.StatusSwitchingProtocols) {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the real writer.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
