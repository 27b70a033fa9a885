package tokengate

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/quayside/quayside/gateway/internal/introspect"
)

func TestTheAccessLogHasStatusIdentityAndError(t *testing.T) {
	t.Parallel()

	recorded := trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{0x4b, 15: 0x36}, SpanID: trace.SpanID{0xb7, 7: 1}, TraceFlags: trace.FlagsSampled,
	})
	var text strings.Builder
	core := zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(&text),
		zapcore.InfoLevel)
	g := &Gate{access: zap.New(core).Named("http.log.access")}
	(&exchange{
		gate: g,
		id:   "req_01k9x3v7t2e8sbq4m6n0pacdfh", status: http.StatusBadGateway, bytes: 12, whole: true, admitted: true,
		failure: "refused",
		token:   &introspect.Result{TokenID: "tok_4fZyo82mVyR1", OrganizationID: "org_01k9x3v7t2e8sbq4m6n0pacdfh"},
		method:  "GET\n", path: "/api/v1/shpt_live_secret", client: "192.0.2.1", began: time.Now().Add(-time.Hour),
		span: trace.SpanFromContext(trace.ContextWithSpanContext(t.Context(), recorded)),
	}).note()
	var got map[string]any
	if err := json.Unmarshal([]byte(text.String()), &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"level": "error", "logger": "http.log.access", "msg": "handled request",
		"request_id": "req_01k9x3v7t2e8sbq4m6n0pacdfh", "method": "other", "path": "/api/v1/…", "status": 502.0,
		"bytes": 12.0, "error": "refused", "client": "192.0.2.1", "token_id": "tok_4fZyo82mVyR1",
		"organization_id": "org_01k9x3v7t2e8sbq4m6n0pacdfh",
		"trace_id":        "4b000000000000000000000000000036", "span_id": "b700000000000001",
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if seconds, _ := got["seconds"].(float64); seconds < 3600 || seconds > 3700 {
		t.Errorf("%v seconds, want about an hour", got["seconds"])
	}
}
