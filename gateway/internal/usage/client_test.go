package usage

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const credential = "a credential of thirty-two bytes."

var oneUse = []tokenUse{{"tok_4fZyo82mVyR1", use{last: noon.Add(123456789), passed: 120, refused: 3, address: office}}}

func TestReportFollowsTheContract(t *testing.T) {
	t.Parallel()

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		const want = `{"usage":[{"token":"tok_4fZyo82mVyR1","last_used_at":"2026-11-20T12:00:00.123Z",` +
			`"count":120,"refused":3,"address":"192.0.2.1"},` +
			`{"token":"tok_000000000001","last_used_at":"2026-11-20T12:00:00Z","count":1,"refused":0}]}`
		if string(body) != want {
			t.Errorf("body\n%s\nwant\n%s", body, want)
		}
		if r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer "+credential ||
			r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %v", r.Method, r.Header)
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	outcome, err := newClient(server.URL, credential).send(t.Context(),
		append(oneUse[:1:1], tokenUse{"tok_000000000001", use{last: noon, passed: 1}}))
	if outcome != Delivered || err != nil {
		t.Errorf("%s, %v", outcome, err)
	}
}

func TestLargestBatchIsUnder1MiB(t *testing.T) {
	t.Parallel()

	largest := tokenUse{"tok_4fZyo82mVyR1", use{last: noon, passed: 1<<63 - 1, refused: 1<<63 - 1, address: home}}
	body, err := encode([]tokenUse{largest})
	if err != nil {
		t.Fatal(err)
	}
	if size := len(body)*batchTokens + 39*batchTokens; size > 1<<20 { // an address may have 39 characters
		t.Errorf("a batch may have %d bytes", size)
	}
	if !json.Valid(body) {
		t.Errorf("%s", body)
	}
}

func TestOutcomeByResponse(t *testing.T) {
	t.Parallel()

	for status, want := range map[int]Outcome{
		200: Delivered, 204: Delivered,
		400: Dropped, 413: Dropped, 415: Dropped, 422: Dropped,
		302: Kept, 401: Kept, 403: Kept, 404: Kept, 429: Kept, 500: Kept, 503: Kept,
	} {
		var received atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			received.Add(1)
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}))
		t.Cleanup(server.Close)
		outcome, err := newClient(server.URL, credential).send(t.Context(), oneUse)
		if outcome != want || (err == nil) != (want == Delivered) || errors.Is(err, errUnacceptable) != (want == Dropped) ||
			received.Load() != 1 {
			t.Errorf("status %d, received %d times: %s, %v", status, received.Load(), outcome, err)
		}
	}
}

func TestBatchWithoutResponseIsDropped(t *testing.T) {
	t.Parallel()

	var received atomic.Int64
	for _, name := range []string{"broken off", "hung"} {
		received.Store(0)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			received.Add(1)
			if name == "broken off" {
				panic(http.ErrAbortHandler)
			}
			cancel()
			<-r.Context().Done()
		}))
		t.Cleanup(server.Close)
		outcome, err := newClient(server.URL, credential).send(ctx, oneUse)
		cancel()
		if outcome != Dropped || err == nil || errors.Is(err, errUnacceptable) || received.Load() != 1 {
			t.Errorf("%s, received %d times: %s, %v", name, received.Load(), outcome, err)
		}
		if strings.Contains(err.Error(), credential) || strings.Contains(err.Error(), "tok_") {
			t.Errorf("the error tells too much: %v", err)
		}
	}
}

func TestBatchWithoutConnectionIsKept(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	for _, address := range []string{"127.0.0.1:1", "192.0.2.1:1"} {
		if outcome, err := newClient("http://"+address, credential).send(ctx, oneUse); outcome != Kept || err == nil {
			t.Errorf("%s: %s, %v", address, outcome, err)
		}
	}
}
