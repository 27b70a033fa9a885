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

	"github.com/quayside/quayside/gateway/servicekit/api/middleware"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// admission is storage with one token of org_1, or one error.
type admission struct {
	tokens.Repository
	token tokens.Token
	err   error
}

func (a admission) FindToken(context.Context, tokens.TokenID) (tokens.Token, tokens.Digest, error) {
	a.token.Organization.ID = "org_1"
	return a.token, tokens.Digest{}, a.err
}

// admin is a valid token, and caller the gateway's assertion of it.
var (
	catalogue, _ = tokens.NewCatalogue()

	admin = admission{token: tokens.Token{
		ID: "tok_000000000001", Name: "ERP",
		Permissions: []tokens.Permission{tokens.Admin},
	}}
	caller = Caller{
		Partition: "org_1", Token: "tok_000000000001", Permissions: catalogue.All(),
		Address: netip.MustParseAddr("192.0.2.1"), RequestID: "req_1",
	}
)

func read() (Input, error) { return Input{Value: "list"}, nil }

// call calls an endpoint whose method is do.
func call(
	t *testing.T, a admission, needs tokens.Permission, r Request, do func(context.Context, Call) error,
) error {
	t.Helper()
	s := tokens.NewService(a, tokens.Config{Now: func() time.Time { return time.Unix(1000, 0) }})
	_, err := ForTokens(Config{Timeout: time.Second}, s, needs,
		func(ctx context.Context, c Call, request string) (string, error) {
			if request != "list" {
				t.Errorf("the request is %q", request)
			}
			return "done", do(ctx, c)
		})(t.Context(), r)
	return err
}

func succeeds(context.Context, Call) error { return nil }

func TestEveryIntrospectionIsObservedWithItsResult(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		decode error
		do     func() (outcome, error)
	}{
		"mismatch":    {do: func() (outcome, error) { return "mismatch", nil }},
		"error":       {do: func() (outcome, error) { return "", errors.New("no such column") }},
		"error ":      {do: func() (outcome, error) { panic("oops") }},
		"unavailable": {do: func() (outcome, error) { return "", tokens.ErrUnavailable }},
		"no_pepper":   {do: func() (outcome, error) { return "", &tokens.PepperError{} }},
		"canceled":    {do: func() (outcome, error) { return "", context.Canceled }},
		"refused":     {decode: errors.New("no form")},
	} {
		var got []string
		method := func(context.Context, string) (outcome, error) { return c.do() }
		e := Observed(ForGateways(Config{Timeout: time.Second}, method), func(result string) { got = append(got, result) })
		response, err := e(t.Context(), Request{Decode: func() (Input, error) { return Input{Value: "list"}, c.decode }})
		if len(got) != 1 || got[0] != strings.TrimSpace(want) {
			t.Errorf("observed %q, want %q once", got, want)
		}
		if (err == nil) != (response == outcome("mismatch")) {
			t.Errorf("%s: %v, %v", want, response, err)
		}
	}
}

type outcome string

func (o outcome) Result() string { return string(o) }

func TestAPanicIsAnError(t *testing.T) {
	t.Parallel()
	err := call(t, admin, AnyToken, Request{Caller: caller, Decode: read},
		func(context.Context, Call) error { panic("oops") })
	if e, ok := errors.AsType[*middleware.PanicError](err); !ok || e.Value != "oops" {
		t.Errorf("%v, want the panic", err)
	}
	if _, err := ForGateways(Config{Timeout: time.Second}, func(context.Context, int) (int, error) { return 0, nil })(
		t.Context(), Request{Decode: read},
	); err == nil {
		t.Error("a request of the wrong type passes")
	}
}

func TestEveryCallHasATimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		slow := func() (Input, error) { time.Sleep(time.Minute); return read() } // a client's time is not the call's
		err := call(t, admin, AnyToken, Request{Caller: caller, Decode: slow},
			func(ctx context.Context, _ Call) error { <-ctx.Done(); return ctx.Err() })
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Minute+time.Second {
			t.Errorf("took %s: %v", took, err)
		}
	})
}

// The response is the same for all; the error in the log says which it was.
func TestErrorsOfInvalidTokensSayWhy(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]admission{
		"not found": {err: tokens.ErrNotFound},
		"revoked":   {token: tokens.Token{RevokedAt: time.Unix(0, 0)}},
		"expired":   {token: tokens.Token{ExpiresAt: time.Unix(1000, 0)}},
	} {
		err := call(t, a, AnyToken, Request{Caller: caller, Decode: unread(t)}, succeeds)
		if !errors.Is(err, tokens.ErrInvalidToken) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want ErrInvalidToken and %s", err, want)
		}
	}
}

// unread fails the test when a request is read that must not be.
func unread(t *testing.T) func() (Input, error) {
	return func() (Input, error) { t.Error("the request is read"); return read() }
}

func TestAPermissionMustBeBothAssertedAndStored(t *testing.T) {
	t.Parallel()
	reader := admission{token: tokens.Token{ID: "tok_000000000001", Permissions: []tokens.Permission{"shipments:write"}}}
	for name, c := range map[string]struct {
		stored   admission
		asserted []tokens.Permission
		held     string
	}{
		"neither": {
			reader,
			[]tokens.Permission{"shipments:read", "shipments:write"},
			"shipments:read shipments:write",
		},
		"only asserted":   {reader, catalogue.All(), "shipments:read shipments:write"},
		"only stored":     {admin, []tokens.Permission{"documents:read"}, "documents:read"},
		"nothing in both": {reader, []tokens.Permission{"documents:read"}, "no permission"},
	} {
		lesser := caller
		lesser.Permissions = c.asserted
		err := call(t, c.stored, tokens.Admin, Request{Caller: lesser, Decode: unread(t)}, succeeds)
		lacking, ok := errors.AsType[*PermissionError](err)
		if !ok || lacking.Needs != tokens.Admin || err.Error() != fmt.Sprintf("this needs admin; the token has %s", c.held) {
			t.Errorf("%s: %v", name, err)
		}
		if err := call(t, c.stored, AnyToken, Request{Caller: lesser, Decode: read}, succeeds); err != nil {
			t.Errorf("%s, where any will do: %v", name, err)
		}
	}
}

func TestTheAuditLogNamesTheCallingToken(t *testing.T) {
	t.Parallel()
	err := call(t, admin, tokens.Admin, Request{Caller: caller, Decode: read},
		func(_ context.Context, principal Call) error {
			want := audit.Actor{
				Kind: audit.Token, ID: "tok_000000000001", Name: "ERP",
				Address: caller.Address, RequestID: "req_1",
			}
			if principal.Actor != want || principal.Organization != "org_1" || principal.Token.ID != "tok_000000000001" ||
				!slices.Equal(principal.Grants(), catalogue.All()) {
				t.Errorf("%+v", principal)
			}
			return nil
		})
	if err != nil {
		t.Error(err)
	}
}
