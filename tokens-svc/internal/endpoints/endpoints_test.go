package endpoints

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// service answers every call alike.
type service struct {
	found tokens.Introspection
	token tokens.Token
	do    func(context.Context) error
}

func (s service) Introspect(ctx context.Context, _ tokens.Secret) (tokens.Introspection, error) {
	return s.found, s.do(ctx)
}

func (s service) Token(ctx context.Context, _ tokens.OrgID, _ tokens.TokenID) (tokens.Token, error) {
	return s.token, s.do(ctx)
}

func (service) Now() time.Time { return time.Unix(0, 0) }

func well(context.Context) error { return nil }

func fails(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

// TestEveryCallIsObserved under its endpoint and with its result.
func TestEveryCallIsObserved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		service service
		want    string
	}{
		"introspection":     {service{do: well, found: tokens.Introspection{Outcome: tokens.OutcomeMismatch}}, "introspect mismatch"},
		"failure":           {service{do: fails(errors.New("no such column"))}, "introspect error"},
		"storage away":      {service{do: fails(tokens.ErrUnavailable)}, "introspect unavailable"},
		"client gone":       {service{do: fails(context.Canceled)}, "introspect canceled"},
		"panic":             {service{do: func(context.Context) error { panic("oops") }}, "introspect error"},
		"token":             {service{do: well}, "token ok"},
		"token not found":   {service{do: fails(tokens.ErrNotFound)}, "token refused"},
		"token is no more":  {service{do: well, token: tokens.Token{RevokedAt: time.Unix(0, 0)}}, "token refused"},
		"token unavailable": {service{do: fails(tokens.ErrUnavailable)}, "token unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			set := New(c.service, Config{Timeout: time.Second, Observe: func(name, result string, took time.Duration) {
				if took < 0 {
					t.Errorf("took %s", took)
				}
				got = append(got, name+" "+result)
			}})
			if strings.HasPrefix(c.want, "token") {
				_, _ = set.Token(t.Context(), TokenRequest{})
			} else {
				_, _ = set.Introspect(t.Context(), IntrospectRequest{})
			}
			if len(got) != 1 || got[0] != c.want {
				t.Errorf("observed %q, want %q once", got, c.want)
			}
		})
	}
}

func TestAPanicIsAnError(t *testing.T) {
	t.Parallel()
	set := New(service{do: func(context.Context) error { panic("oops") }}, Config{Timeout: time.Second})
	if _, err := set.Token(t.Context(), TokenRequest{}); err == nil || !strings.Contains(err.Error(), "oops") ||
		!strings.Contains(err.Error(), "endpoints_test.go") {
		t.Errorf("%v, want the panic and where it was", err)
	}
	if _, err := set.Token(t.Context(), IntrospectRequest{}); err == nil {
		t.Error("a request of the wrong type passes")
	}
}

func TestEveryCallHasATimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		set := New(service{do: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}, Config{Timeout: time.Second})
		began := time.Now()
		if _, err := set.Introspect(t.Context(), IntrospectRequest{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("took %s", took)
		}
	})
}

// TestARefusedTokenIsToldApartInside: transport answers all alike, operators
// can see which it was.
func TestARefusedTokenIsToldApartInside(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]service{
		"not found": {do: fails(tokens.ErrNotFound)},
		"revoked":   {do: well, token: tokens.Token{RevokedAt: time.Unix(0, 0)}},
		"expired":   {do: well, token: tokens.Token{ExpiresAt: time.Unix(0, 0)}},
	} {
		_, err := New(s, Config{Timeout: time.Second}).Token(t.Context(), TokenRequest{})
		if !errors.Is(err, ErrNotGood) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want ErrNotGood and %s", err, want)
		}
	}
}
