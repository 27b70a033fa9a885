package tokengate

import (
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/redact"
)

// accessLog names the gate's logger: it has the name of Caddy's access log, so that configurations apply to both.
// The gate writes its own because Caddy's begins with a copy of every header, most of which then have to be
// removed again, and costs a sixth of a proxied request.
type accessLog struct{}

// CaddyModule implements caddy.Module.
func (accessLog) CaddyModule() caddy.ModuleInfo { return caddy.ModuleInfo{ID: "http.log.access"} }

// accessLine is the line of one request in the access log. Of what a client wrote it contains the path only, and of
// that nothing that could be a secret.
type accessLine responseWriter

// MarshalLogObject implements zapcore.ObjectMarshaler.
func (l *accessLine) MarshalLogObject(line zapcore.ObjectEncoder) error {
	line.AddString("request_id", l.requestID)
	line.AddString("method", metrics.Method(l.method))
	line.AddString("path", redact.Path(l.path))
	line.AddInt("status", l.status)
	line.AddInt64("bytes", l.bytes)
	line.AddFloat64("seconds", time.Since(l.began).Seconds())
	line.AddString("client", l.client)
	if l.token != nil {
		line.AddString("token_id", l.token.TokenID)
		line.AddString("organization_id", l.token.OrganizationID)
	}
	if l.session != nil {
		line.AddString("user_id", l.session.UserID)
		line.AddString("organization_id", l.session.OrganizationID)
	}
	if l.span != nil {
		if traced := l.span.SpanContext(); traced.IsSampled() {
			line.AddString("trace_id", traced.TraceID().String())
			line.AddString("span_id", traced.SpanID().String())
		}
	}
	switch {
	case l.failure != "":
		line.AddString("error", l.failure)
	case !l.whole:
		line.AddString("error", "the answer broke off")
	}
	return nil
}

// note writes the line of a completed request, counts it and ends its span.
func (g *Gate) note(out *responseWriter) {
	class := statusClasses[min(out.status/100, 6)]
	kind, ok := out.vars[kindVar].(string)
	if !ok {
		kind = defaultKind
	}
	responseSeconds.WithLabelValues(class, kind).Observe(time.Since(out.began).Seconds())
	level := zapcore.InfoLevel
	if out.status >= http.StatusInternalServerError {
		level = zapcore.ErrorLevel
	}
	if entry := g.access.Check(level, "handled request"); entry != nil {
		entry.Write(zap.Inline((*accessLine)(out)))
	}
	if out.span != nil {
		describe(out)
		out.span.End()
	}
}
