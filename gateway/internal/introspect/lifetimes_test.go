package introspect_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/internal/introspect"
)

func TestCacheLifetimes(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		body     string
		lifetime time.Duration
	}{
		"active":   {activeAnswer, introspect.PositiveLifetime},
		"inactive": {`{"active":false}`, introspect.NegativeLifetime},
		"active, ends soon": {
			strings.Replace(activeAnswer, "{", fmt.Sprintf(`{"exp":%d,`, new(clock).now().Unix()+3), 1), 3 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := new(clock)
			i := newIntrospector(t, newTokensService(t, tt.body).URL, c)
			if _, ok := i.Cached(token); ok {
				t.Fatal("known before it was asked for")
			}
			if _, err := i.Introspect(t.Context(), token); err != nil {
				t.Fatal(err)
			}
			c.advance(tt.lifetime/2 - time.Nanosecond) // before it is refreshed
			if _, ok := i.Cached(token); !ok {
				t.Error("forgotten too early")
			}
			c.advance(tt.lifetime/2 + time.Nanosecond)
			if _, ok := i.Cached(token); ok {
				t.Error("used past its time")
			}
		})
	}
}

func TestCachedResultAllocatesNothing(t *testing.T) {
	server := newServer(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, activeAnswer)
	})
	i := newIntrospector(t, server.URL, new(clock))
	if _, err := i.Introspect(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(1000, func() { _, _ = i.Cached(token) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
