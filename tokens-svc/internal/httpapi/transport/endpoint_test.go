package transport

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-kit/kit/endpoint"
	kithttp "github.com/go-kit/kit/transport/http"

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

// ask calls an endpoint whose method is do, with what the gateway asserts.
func ask(
	t *testing.T, stored, asserted string, needs tokens.Permission,
	decode kithttp.DecodeRequestFunc, do endpoint.Endpoint,
) error {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	r.Header.Set(assertion.HeaderOrganization, "org_01k9x3v7t2e8sbq4m6n0pacdfg")
	r.Header.Set(assertion.HeaderToken, "tok_000000000001")
	r.Header.Set(assertion.HeaderPermissions, asserted)
	s := tokens.NewService(storage{permissions: []tokens.Permission{tokens.Permission(stored)}}, tokens.Config{})
	_, err := endpoint.Chain(authorized(s, time.Second, needs), decoded(decode), limited(time.Second))(do)(t.Context(), r)
	return err
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
		_, _ = e(t.Context(), tokens.Generate(tokens.Live))
		if len(got) != 1 || got[0] != want {
			t.Errorf("observed %q, want %q once", got, want)
		}
	}
}

func TestEveryCallHasATimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		slow := func(context.Context, *http.Request) (any, error) { time.Sleep(time.Minute); return "", nil } // a client's
		err := ask(t, "admin", "admin", anyToken, slow, func(ctx context.Context, _ any) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Minute+time.Second {
			t.Errorf("took %s: %v", took, err)
		}
	})
}

func TestAPermissionMustBeBothAssertedAndStored(t *testing.T) {
	t.Parallel()
	nothing := func(context.Context, *http.Request) (any, error) { return nil, nil }
	for name, c := range map[string]struct{ stored, asserted, held string }{
		"neither":         {"shipments:write", "shipments:read shipments:write", "shipments:read shipments:write"},
		"only asserted":   {"shipments:read", "admin shipments:read", "shipments:read"},
		"only stored":     {"admin", "documents:read", "documents:read"},
		"nothing in both": {"shipments:read", "documents:read", "no permission"},
	} {
		err := ask(t, c.stored, c.asserted, tokens.Admin, func(context.Context, *http.Request) (any, error) {
			t.Error("the request is read")
			return nil, nil
		}, endpoint.Nop)
		if _, ok := errors.AsType[*assertion.PermissionError](err); !ok ||
			err.Error() != "this needs admin; the token has "+c.held {
			t.Errorf("%s: %v", name, err)
		}
		if err := ask(t, c.stored, c.asserted, anyToken, nothing, endpoint.Nop); err != nil {
			t.Errorf("%s, where any will do: %v", name, err)
		}
	}
}
