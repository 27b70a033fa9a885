package endpoints

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/middleware"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// admission knows one token, and fails where it is told to.
type admission struct {
	token tokens.Token
	err   error
}

func (a admission) Caller(context.Context, tokens.OrgID, tokens.TokenID) (tokens.Token, error) {
	return a.token, a.err
}

func (admission) Now() time.Time { return time.Unix(1000, 0) }

// admin is a good token, and what a gateway says of it.
var (
	admin  = admission{token: tokens.Token{ID: "tok_000000000001", Organization: tokens.Organization{ID: "org_1"}, Name: "ERP", Permissions: []tokens.Permission{tokens.Admin}}}
	caller = Caller{
		Partition: "org_1", Token: "tok_000000000001", Permissions: tokens.AllPermissions(),
		Address: netip.MustParseAddr("192.0.2.1"), RequestID: "req_1",
	}
)

func read() (any, error) { return "asked", nil }

// call asks an endpoint that does what do returns.
func call(t *testing.T, c Config, a admission, needs Need, r Request, do func(context.Context, Principal) error) error {
	t.Helper()
	if c.Timeout == 0 {
		c.Timeout = time.Second
	}
	_, err := ForTokens(c, a, "test", needs, func(ctx context.Context, principal Principal, request string) (string, error) {
		if request != "asked" {
			t.Errorf("asked %q", request)
		}
		return "done", do(ctx, principal)
	})(t.Context(), r)
	return err
}

func well(context.Context, Principal) error { return nil }

func fails(err error) func(context.Context, Principal) error {
	return func(context.Context, Principal) error { return err }
}

// TestEveryCallIsObserved under its endpoint and with its result.
func TestEveryCallIsObserved(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		admission admission
		needs     Need
		decode    error
		do        func(context.Context, Principal) error
	}{
		"ok":            {admission: admin, do: well},
		"error":         {admission: admin, do: fails(errors.New("no such column"))},
		"error ":        {admission: admin, do: func(context.Context, Principal) error { panic("oops") }},
		"unavailable":   {admission: admin, do: fails(tokens.ErrUnavailable)},
		"unavailable ":  {admission: admission{err: tokens.ErrUnavailable}},
		"canceled":      {admission: admin, do: fails(context.Canceled)},
		"refused":       {admission: admission{err: tokens.ErrNotFound}},
		"refused ":      {admission: admission{token: tokens.Token{RevokedAt: time.Unix(0, 0)}}},
		"refused  ":     {admission: admission{token: tokens.Token{Permissions: []tokens.Permission{"shipments:read"}}}, needs: NeedsAdmin},
		"refused   ":    {admission: admin, decode: errors.New("no JSON")},
		"refused    ":   {admission: admin, do: fails(tokens.ErrNotFound)},
		"refused     ":  {admission: admin, do: fails(&tokens.ValidationError{})},
		"refused      ": {admission: admin, do: fails(&tokens.StateError{})},
	} {
		var got []string
		observe := func(name, result string, took time.Duration) {
			if took < 0 {
				t.Errorf("took %s", took)
			}
			got = append(got, name+" "+result)
		}
		r := Request{Caller: caller, Decode: func() (any, error) { return "asked", c.decode }}
		_ = call(t, Config{Observe: observe}, c.admission, c.needs, r, c.do)
		if len(got) != 1 || got[0] != "test "+strings.TrimSpace(want) {
			t.Errorf("observed %q, want %q once", got, want)
		}
	}
}

// TestAnIntrospectionIsObservedByItsOutcome.
func TestAnIntrospectionIsObservedByItsOutcome(t *testing.T) {
	t.Parallel()
	var got string
	c := Config{Timeout: time.Second, Observe: func(name, result string, _ time.Duration) { got = name + " " + result }}
	e := ForGateways(c, "introspect", Introspect(introspector{}))
	response, err := e(t.Context(), Request{Decode: func() (any, error) { return tokens.Secret{}, nil }})
	if err != nil || got != "introspect mismatch" || response.(Introspection).Outcome != tokens.OutcomeMismatch {
		t.Errorf("%v, %v, observed %q", response, err, got)
	}
}

type introspector struct{}

func (introspector) Introspect(context.Context, tokens.Secret) (tokens.Introspection, error) {
	return tokens.Introspection{Outcome: tokens.OutcomeMismatch}, nil
}

func TestAPanicIsAnError(t *testing.T) {
	t.Parallel()
	err := call(t, Config{}, admin, NeedsAny, Request{Caller: caller, Decode: read}, func(context.Context, Principal) error { panic("oops") })
	if e, ok := errors.AsType[*middleware.PanicError](err); !ok || e.Value != "oops" {
		t.Errorf("%v, want the panic", err)
	}
	if _, err := ForGateways(Config{Timeout: time.Second}, "x", func(context.Context, int) (int, error) { return 0, nil })(
		t.Context(), Request{Decode: read}); err == nil {
		t.Error("a request of the wrong type passes")
	}
}

func TestEveryCallHasATimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		slow := func() (any, error) { time.Sleep(time.Minute); return "asked", nil } // a client's time is not the call's
		err := call(t, Config{}, admin, NeedsAny, Request{Caller: caller, Decode: slow},
			func(ctx context.Context, _ Principal) error { <-ctx.Done(); return ctx.Err() })
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Minute+time.Second {
			t.Errorf("took %s: %v", took, err)
		}
	})
}

// TestARefusedTokenIsToldApartInside: transport answers all alike, operators
// can see which it was.
func TestARefusedTokenIsToldApartInside(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]admission{
		"not found": {err: tokens.ErrNotFound},
		"revoked":   {token: tokens.Token{RevokedAt: time.Unix(0, 0)}},
		"expired":   {token: tokens.Token{ExpiresAt: time.Unix(1000, 0)}},
	} {
		err := call(t, Config{}, a, NeedsAny, Request{Caller: caller, Decode: unread(t)}, well)
		if !errors.Is(err, ErrInvalidToken) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want ErrNotGood and %s", err, want)
		}
	}
}

// unread fails the test when a request is read that must not be.
func unread(t *testing.T) func() (any, error) {
	return func() (any, error) { t.Error("the request is read"); return "asked", nil }
}

// TestAPermissionMustBeHeldThereAndHere: by what the gateway said, and by what
// is stored now.
func TestAPermissionMustBeHeldThereAndHere(t *testing.T) {
	t.Parallel()
	reader := admission{token: tokens.Token{ID: "tok_000000000001", Permissions: []tokens.Permission{"shipments:write"}}}
	for name, c := range map[string]struct {
		stored admission
		said   []tokens.Permission
		held   string
	}{
		"neither":         {reader, []tokens.Permission{"shipments:read", "shipments:write"}, "shipments:read shipments:write"},
		"only said":       {reader, tokens.AllPermissions(), "shipments:read shipments:write"},
		"only stored":     {admin, []tokens.Permission{"documents:read"}, "documents:read"},
		"nothing in both": {reader, []tokens.Permission{"documents:read"}, "no permission"},
	} {
		asker := caller
		asker.Permissions = c.said
		err := call(t, Config{}, c.stored, NeedsAdmin, Request{Caller: asker, Decode: unread(t)}, well)
		lacking, ok := errors.AsType[*PermissionError](err)
		if !ok || lacking.Needs != NeedsAdmin || err.Error() != fmt.Sprintf("this needs admin; the token has %s", c.held) {
			t.Errorf("%s: %v", name, err)
		}
		if err := call(t, Config{}, c.stored, NeedsAny, Request{Caller: asker, Decode: read}, well); err != nil {
			t.Errorf("%s, where any will do: %v", name, err)
		}
	}
}

// TestTheAskerIsWhoTheAuditLogNames.
func TestTheAskerIsWhoTheAuditLogNames(t *testing.T) {
	t.Parallel()
	err := call(t, Config{}, admin, NeedsAdmin, Request{Caller: caller, Decode: read}, func(_ context.Context, principal Principal) error {
		want := audit.Actor{Kind: audit.Token, ID: "tok_000000000001", Name: "ERP", Address: caller.Address, RequestID: "req_1"}
		if principal.Actor != want || principal.Organization != "org_1" || principal.Token.ID != "tok_000000000001" || !slices.Equal(principal.Grants(), tokens.AllPermissions()) {
			t.Errorf("%+v", principal)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
