package upstream

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
)

// A failure that the client causes is not the address's: it must not lead to an ejection.
func TestOnlyFailuresOfTheServiceCountAgainstItsAddress(t *testing.T) {
	t.Parallel()

	half := func(w http.ResponseWriter) {
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
	}
	for name, tt := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request, leave func())
		leaves bool // when the response has begun
		half   bool // the client sends half a body
		want   int32
	}{
		"a connection that breaks": {func(http.ResponseWriter, *http.Request, func()) { panic(http.ErrAbortHandler) }, false, false, 1},
		"a response that breaks off": {func(w http.ResponseWriter, _ *http.Request, _ func()) {
			half(w)
			panic(http.ErrAbortHandler)
		}, false, false, 1},
		"an error of the service": {func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(http.StatusInternalServerError) }, false, false, 1},
		"a refusal":               {func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(http.StatusForbidden) }, false, false, 0},
		"a client that leaves before the response": {func(_ http.ResponseWriter, r *http.Request, leave func()) {
			leave()
			<-r.Context().Done()
		}, false, false, 0},
		"a client that leaves during the response": {func(w http.ResponseWriter, r *http.Request, _ func()) {
			half(w)
			<-r.Context().Done()
		}, true, false, 0},
		"a client that sends half a body": {nil, false, true, 0},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			t.Run(method+" "+name, func(t *testing.T) {
				t.Parallel()
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				all := replicas(t, 1, nil)
				if tt.answer != nil {
					all[0].answer = func(w http.ResponseWriter, r *http.Request) { tt.answer(w, r, leave) }
				}
				transport, _ := transportTo(t, all)
				r := httptest.NewRequestWithContext(ctx, method, "/", nil)
				if r.RequestURI, r.Body = "", nil; tt.half {
					body := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF))
					r.Body, r.ContentLength = &requestBody{ReadCloser: io.NopCloser(body)}, 8
				}
				if response, err := transport.RoundTrip(r); err == nil {
					if tt.leaves {
						leave()
					}
					_, _ = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
				}
				if got := (*transport.service.addresses.Load())[0].outlier.failures.Load(); got != tt.want {
					t.Errorf("%d failures, want %d", got, tt.want)
				}
			})
		}
	}
}

func TestClosedIdleConnectionIsNoFailureOfTheAddress(t *testing.T) {
	t.Parallel()

	all := replicas(t, 2, nil)
	transport, _ := transportTo(t, all)
	for range 2 { // leaves a connection to each
		if err := send(t, transport, http.MethodGet, ""); err != nil {
			t.Fatal(err)
		}
	}
	all[0].answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	transport.service.turn.Store(1) // the first address is next
	if err := send(t, transport, http.MethodGet, ""); err != nil {
		t.Fatal(err)
	}
	a := (*transport.service.addresses.Load())[0]
	if n := a.outlier.failures.Load(); n != 0 || all[0].seen.Load() != 2 {
		t.Errorf("%d failures in %d requests", n, all[0].seen.Load())
	}
}
