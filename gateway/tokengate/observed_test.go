package tokengate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// The response may come from the gate, from a service, or not at all after a panic.
func TestEveryRequestIsOneLineOfTheAccessLogAndOneSpan(t *testing.T) {
	t.Parallel()

	g := newTestGate(t, new(Gate), activeBody)
	core, log := observer.New(zap.InfoLevel)
	recorder := tracetest.NewSpanRecorder()
	g.access, g.tracer = zap.New(core), sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("")
	malformed := request(http.MethodGet, "/a")
	malformed.Header.Set("Authorization", "Bearer x")
	for name, tt := range map[string]struct {
		serve func()
		want  map[string]any
		spans int
	}{
		"response": {func() {
			g.serve(t, request(http.MethodGet, "/a"), func(w http.ResponseWriter, _ *http.Request) error {
				_, err := io.Copy(w, struct{ io.Reader }{strings.NewReader("four")})
				return errors.Join(err, http.NewResponseController(w).Flush())
			})
		}, map[string]any{"status": 200, "bytes": 4, "token_id": "tok_4fZyo82mVyR1"}, 2},
		"response without a header": {func() {
			g.serve(t, request(http.MethodGet, "/a"), func(w http.ResponseWriter, _ *http.Request) error {
				return http.NewResponseController(w).Flush()
			})
		}, map[string]any{"status": 200, "bytes": 0, "token_id": "tok_4fZyo82mVyR1"}, 2},
		"error": {func() {
			g.serve(t, request(http.MethodGet, "/a"), func(http.ResponseWriter, *http.Request) error {
				return caddyhttp.Error(http.StatusBadGateway, errors.New("refused"))
			})
		}, map[string]any{"status": 502, "error": "refused", "token_id": "tok_4fZyo82mVyR1"}, 2},
		"panic": {func() {
			defer func() { _ = recover() }()
			g.serve(t, request(http.MethodGet, "/a"), func(w http.ResponseWriter, _ *http.Request) error {
				_, _ = io.WriteString(w, "ha")
				panic(http.ErrAbortHandler)
			})
		}, map[string]any{"status": 200, "bytes": 2, "error": "the answer broke off", "token_id": "tok_4fZyo82mVyR1"}, 2},
		"refusal": {func() { g.serve(t, malformed.Clone(t.Context()), nil) }, map[string]any{"status": 401}, 1},
	} {
		before := len(recorder.Ended())
		tt.serve()
		lines := log.TakeAll()
		if len(lines) != 1 {
			t.Errorf("%s: %d lines", name, len(lines))
			continue
		}
		got := lines[0].ContextMap()
		tt.want["method"], tt.want["path"], tt.want["client"] = "GET", "/a", "192.0.2.1"
		if seconds, _ := got["seconds"].(float64); seconds <= 0 || seconds > 60 || got["request_id"] == "" {
			t.Errorf("%s: %v", name, got)
		}
		for _, varies := range []string{"seconds", "request_id", "organization_id", "trace_id", "span_id"} {
			delete(got, varies)
		}
		if _, counts := tt.want["bytes"]; !counts {
			delete(got, "bytes")
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
		ended := recorder.Ended()[before:]
		if len(ended) != tt.spans {
			t.Errorf("%s: %d spans", name, len(ended))
			continue
		}
		attributes := map[string]any{}
		for _, attribute := range ended[len(ended)-1].Attributes() {
			attributes[string(attribute.Key)] = attribute.Value.AsInterface()
		}
		if fmt.Sprint(attributes["http.response.status_code"]) != fmt.Sprint(got["status"]) ||
			attributes["url.path"] != "/a" ||
			(attributes["token_gate.token_id"] == "tok_4fZyo82mVyR1") != (got["token_id"] != nil) {
			t.Errorf("%s: %v", name, attributes)
		}
	}
}

// deadlines records the deadlines that are set for reading a request.
type deadlines struct {
	*httptest.ResponseRecorder

	set []time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

func TestTheRestOfABodyHasLittleTimeOnceTheResponseBegan(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		body io.Reader
		read int64
		want int
	}{
		"read in part": {strings.NewReader("four"), 2, 1},
		"broken":       {iotest.ErrReader(io.ErrUnexpectedEOF), 9, 1},
		"whole":        {strings.NewReader("four"), 9, 0},
	} {
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequest(http.MethodPost, "/", tt.body)
		b := takeBody(w, r)
		if r.Body != b {
			t.Fatalf("%s: the request has another body", name)
		}
		_, _ = io.CopyN(io.Discard, r.Body, tt.read)
		b.responseBegins()
		b.responseBegins()
		if len(w.set) != tt.want {
			t.Errorf("%s: %d deadlines", name, len(w.set))
		}
		for _, at := range w.set {
			if left := time.Until(at); left <= 0 || left > lingerTime {
				t.Errorf("%s: %s are left", name, left)
			}
		}
		if n, err := r.Body.Read(make([]byte, 9)); tt.want > 0 && (n != 0 || !errors.Is(err, http.ErrBodyReadAfterClose)) {
			t.Errorf("%s: afterwards %d bytes are read, %v", name, n, err)
		}
	}
	if b := takeBody(nil, httptest.NewRequest(http.MethodGet, "/", http.NoBody)); b != nil {
		t.Error("a request without a body has one")
	}
}

// Closing a connection over unread data could destroy the response.
func TestWhatAClientStillSendsIsReadAfterARefusal(t *testing.T) {
	t.Parallel()

	g := newTestGate(t, new(Gate), activeBody)
	for name, tt := range map[string]struct {
		change func(*http.Request)
		failed error // of a request that Caddy refused before the gate
		next   error
		status int
		read   bool
	}{
		"without a token": {func(r *http.Request) { r.Header.Del("Authorization") }, nil, nil, 401, true},
		"waiting for a 100": {func(r *http.Request) {
			r.Header.Del("Authorization")
			r.Header.Set("Expect",
				"100-continue")
		}, nil, nil, 401, false},
		"refused by Caddy":    {func(*http.Request) {}, caddyhttp.Error(http.StatusBadRequest, nil), nil, 400, true},
		"error of a service":  {func(*http.Request) {}, nil, caddyhttp.Error(http.StatusBadGateway, io.EOF), 502, true},
		"ambiguous path":      {func(r *http.Request) { r.URL.Path = "/a/../b" }, nil, nil, 404, true},
		"response of service": {func(*http.Request) {}, nil, nil, 200, false},
	} {
		body := strings.NewReader("what is still sent")
		r := httptest.NewRequest(http.MethodPost, "/api/v1/shipments", body)
		r.Header.Set("Authorization", "Bearer "+testToken)
		tt.change(r)
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), w, &caddyhttp.Server{})
		if tt.failed != nil {
			r = r.WithContext(context.WithValue(r.Context(), caddyhttp.ErrorCtxKey, tt.failed))
		}
		if err := g.ServeHTTP(w, r, caddyhttp.HandlerFunc(func(http.ResponseWriter,
			*http.Request,
		) error {
			return tt.next
		})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if w.Code != tt.status || (body.Len() == 0) != tt.read || tt.read != w.Flushed || tt.read && len(w.set) == 0 {
			t.Errorf("%s: %d, %d bytes are not read, flushed %t, %d deadlines", name, w.Code, body.Len(), w.Flushed, len(w.set))
		}
	}
	body := strings.NewReader("x")
	r := httptest.NewRequest(http.MethodPost, "/", body)
	if takeBody(httptest.NewRecorder(), r).linger(r); body.Len() == 0 {
		t.Error("a body is read without a deadline")
	}
}
