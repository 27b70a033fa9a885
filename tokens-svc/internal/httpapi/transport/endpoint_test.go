package transport

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// admission is storage with one token of one organization.
type admission struct {
	tokens.Repository
	permissions []tokens.Permission
}

func (a admission) FindToken(context.Context, tokens.TokenID) (tokens.Token, tokens.Digest, error) {
	t := tokens.Token{ID: "tok_000000000001", Permissions: a.permissions}
	t.Organization.ID = "org_01k9x3v7t2e8sbq4m6n0pacdfg"
	return t, tokens.Digest{}, nil
}

// ask calls an endpoint whose method is do, with what the gateway asserts.
func ask(
	t *testing.T, stored, asserted string, needs tokens.Permission,
	read func(*http.Request) (string, error), do func(context.Context, call, string) (reply, error),
) error {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	r.Header.Set(assertion.HeaderOrganization, "org_01k9x3v7t2e8sbq4m6n0pacdfg")
	r.Header.Set(assertion.HeaderToken, "tok_000000000001")
	r.Header.Set(assertion.HeaderPermissions, asserted)
	s := tokens.NewService(admission{permissions: []tokens.Permission{tokens.Permission(stored)}}, tokens.Config{})
	_, err := forTokens(Config{Timeout: time.Second}, s, needs, read, do)(t.Context(), r)
	return err
}

// outage is storage that finds no token.
type outage struct {
	tokens.Repository
	error
}

func (o outage) FindToken(context.Context, tokens.TokenID) (tokens.Token, tokens.Digest, error) {
	return tokens.Token{}, tokens.Digest{}, o.error
}

func TestEveryIntrospectionIsObservedWithItsResult(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"unknown": tokens.ErrNotFound, "error": errors.New("no such column"), "unavailable": tokens.ErrUnavailable,
		"no_pepper": &tokens.PepperError{}, "canceled": context.Canceled,
	} {
		peppers, _ := tokens.ParsePeppers("1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
		s := tokens.NewService(outage{error: err}, tokens.Config{Peppers: peppers})
		var got []string
		m := gatewayMethods{s, s, func(result string) { got = append(got, result) }}
		_, _ = m.introspect(t.Context(), tokens.Generate(tokens.Live))
		if len(got) != 1 || got[0] != want {
			t.Errorf("observed %q, want %q once", got, want)
		}
	}
}

func TestEveryCallHasATimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		slow := func(*http.Request) (string, error) { time.Sleep(time.Minute); return "", nil } // a client's time
		err := ask(t, "admin", "admin", anyToken, slow, func(ctx context.Context, _ call, _ string) (reply, error) {
			<-ctx.Done()
			return reply{}, ctx.Err()
		})
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Minute+time.Second {
			t.Errorf("took %s: %v", took, err)
		}
	})
}

func TestAPermissionMustBeBothAssertedAndStored(t *testing.T) {
	t.Parallel()
	done := func(context.Context, call, string) (reply, error) { return reply{}, nil }
	for name, c := range map[string]struct{ stored, asserted, held string }{
		"neither":         {"shipments:write", "shipments:read shipments:write", "shipments:read shipments:write"},
		"only asserted":   {"shipments:read", "admin shipments:read", "shipments:read"},
		"only stored":     {"admin", "documents:read", "documents:read"},
		"nothing in both": {"shipments:read", "documents:read", "no permission"},
	} {
		err := ask(t, c.stored, c.asserted, tokens.Admin, func(*http.Request) (string, error) {
			t.Error("the request is read")
			return "", nil
		}, done)
		if _, ok := errors.AsType[*assertion.PermissionError](err); !ok ||
			err.Error() != "this needs admin; the token has "+c.held {
			t.Errorf("%s: %v", name, err)
		}
		if err := ask(t, c.stored, c.asserted, anyToken, func(*http.Request) (string, error) { return "", nil },
			done); err != nil {
			t.Errorf("%s, where any will do: %v", name, err)
		}
	}
}
