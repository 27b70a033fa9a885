package transport

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// storage has one token of one organization, or fails.
type storage struct {
	tokens.Repository
	permissions []tokens.Permission
	err         error
}

func (s storage) FindToken(context.Context, tokens.TokenID) (tokens.Token, tokens.Digest, error) {
	t := tokens.Token{ID: "tok_000000000001", Permissions: s.permissions}
	t.Organization.ID = "org_01k9x3v7t2e8sbq4m6n0pacdfg"
	return t, tokens.Digest{}, s.err
}

// ask makes a request of a route that does something, with what the gateway asserts.
func ask(
	t *testing.T, stored, asserted string, needs tokens.Permission, decode func(*http.Request) (nothing, error),
	do func(context.Context, *call, nothing) (reply, error),
) *httptest.ResponseRecorder {
	t.Helper()
	s := tokens.NewService(storage{permissions: []tokens.Permission{tokens.Permission(stored)}}, tokens.Config{})
	rt := router{problem.NewRoutes(), time.Second, slog.New(slog.DiscardHandler)}
	handle(rt, "GET /", maxBody, holders(s, rt.timeout, needs), decode, do)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	r.Header.Set(assertion.HeaderOrganization, "org_01k9x3v7t2e8sbq4m6n0pacdfg")
	r.Header.Set(assertion.HeaderToken, "tok_000000000001")
	r.Header.Set(assertion.HeaderPermissions, asserted)
	w := httptest.NewRecorder()
	rt.ServeHTTP(w, r)
	return w
}

// fine is what a route does that succeeds.
func fine(context.Context, *call, nothing) (reply, error) {
	return reply{status: http.StatusNoContent}, nil
}

func TestEveryIntrospectionIsObservedWithItsResult(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"unknown": tokens.ErrNotFound, "error": errors.New("no such column"), "unavailable": tokens.ErrUnavailable,
		"no_pepper": &tokens.PepperError{}, "canceled": context.Canceled,
	} {
		peppers, _ := tokens.ParsePeppers("1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
		s := tokens.NewService(storage{err: err}, tokens.Config{Peppers: peppers})
		var got []string
		e := introspect(s, func(result string) { got = append(got, result) })
		_, _ = e(t.Context(), nil, tokens.Generate(tokens.Live))
		if len(got) != 1 || got[0] != want {
			t.Errorf("observed %q, want %q once", got, want)
		}
	}
}

func TestEveryCallHasATimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		slow := func(*http.Request) (nothing, error) { time.Sleep(time.Minute); return nothing{}, nil } // a client's
		res := ask(t, "admin", "admin", anyToken, slow, func(ctx context.Context, _ *call, _ nothing) (reply, error) {
			<-ctx.Done()
			return reply{}, ctx.Err()
		})
		if took := time.Since(began); res.Code != http.StatusServiceUnavailable || took != time.Minute+time.Second {
			t.Errorf("took %s: %d %s", took, res.Code, res.Body)
		}
	})
}

func TestAPermissionMustBeBothAssertedAndStored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ stored, asserted, held string }{
		"neither":         {"shipments:write", "shipments:read shipments:write", "shipments:read shipments:write"},
		"only asserted":   {"shipments:read", "admin shipments:read", "shipments:read"},
		"only stored":     {"admin", "documents:read", "documents:read"},
		"nothing in both": {"shipments:read", "documents:read", "no permission"},
	} {
		res := ask(t, c.stored, c.asserted, tokens.Admin, func(*http.Request) (nothing, error) {
			t.Error("the request is read")
			return nothing{}, nil
		}, fine)
		if res.Code != http.StatusForbidden || !strings.Contains(res.Body.String(),
			"This needs admin; the token has "+c.held) {
			t.Errorf("%s: %d %s", name, res.Code, res.Body)
		}
		if res := ask(t, c.stored, c.asserted, anyToken, decodeNothing, fine); res.Code != http.StatusNoContent {
			t.Errorf("%s, where any will do: %d %s", name, res.Code, res.Body)
		}
	}
}
