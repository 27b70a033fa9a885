package web

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/oidc"
)

// keyFlow is where a session keeps an OpenID Connect flow.
const keyFlow = "oidc"

// flow is the state of a sign-in at the issuer.
type flow struct {
	oidc.Flow
	Next  string
	Again bool // the issuer must sign the person in, whatever session there is
}

func (s *site) startOIDC(ctx context.Context, v *visit) (answer, error) {
	again := v.Form.Has("again")
	begun, address, err := s.Issuer.Start(ctx, again)
	if err != nil {
		return s.issuerAnswer(ctx, v, err)
	}
	return redirect(address), s.keep(ctx, keyFlow, flow{begun, safeNext(v.Form.Get("next")), again})
}

func (s *site) finishOIDC(ctx context.Context, v *visit) (answer, error) {
	var begun flow
	text, err := s.Sessions.Take(ctx, keyFlow)
	if err != nil {
		return answer{}, err
	}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &begun); err != nil {
			return answer{}, fmt.Errorf("read a flow: %w", err)
		}
	}
	claims, err := s.Issuer.Finish(ctx, begun.Flow, v.URL.Query())
	if err != nil {
		return s.issuerAnswer(ctx, v, err)
	}
	at := s.provedAt(claims)
	if begun.Again && !s.isRecent(at) {
		return s.issuerAnswer(ctx, v, oidc.ErrNotAgain)
	}
	proved := v.person.ID // of a session that is as young as a proof
	if !s.provedRecently(ctx) {
		proved = ""
	}
	user, linked, err := s.People.SignInWith(ctx, claims, proved, v.client())
	if err != nil {
		return s.issuerAnswer(ctx, v, err)
	}
	a, err := s.startSession(ctx, v, user, at, begun.Next)
	if err == nil && linked {
		s.notify(ctx, "An account with your e-mail address already existed and is now linked to you. Its password was "+
			"removed and its other sessions were ended. If you don't recognize an organization that you belong to, "+
			"contact your Quayside administrator.")
	}
	return a, err
}

// provedAt returns when the person proved at the issuer who they are; zero: not known. Google does not say it.
func (s *site) provedAt(c people.Claims) time.Time {
	now := s.People.Now()
	if c.AuthTime.After(now) || c.AuthTime.IsZero() && c.Issuer == people.Google {
		return now
	}
	return c.AuthTime
}

// issuerAnswer is the sign-in page with an error of the issuer. The issuer's own error is for the log only.
func (s *site) issuerAnswer(ctx context.Context, v *visit, err error) (answer, error) {
	var known []refusal
	for refused, text := range issuerRefusals {
		known = append(known, refusal{refused, "oidc", text})
	}
	a, unknown := refused(err, "oidc", s.signInForm(v).answer(), known...)
	if unknown == nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "sign-in at the issuer failed",
			slog.String("error", err.Error()), slog.String("request_id", requestid.Of(v.Request)))
	}
	return a, unknown
}

// issuerRefusals has what the page says about each error.
var issuerRefusals = map[error]string{
	oidc.ErrMismatch: "The sign-in expired or was started in another window. Try again.",
	oidc.ErrDenied:   "Your organization's sign-in refused the request. Try again, or contact its administrator.",
	oidc.ErrClaims: "Your organization's sign-in sent an identity that cannot be used. Contact your Quayside " +
		"administrator.",
	oidc.ErrNotAgain: "Your organization's sign-in didn't confirm that you signed in again just now. Try again; if that " +
		"doesn't help, ask your Quayside administrator for the claim auth_time.",
	oidc.ErrUnavailable: "Your organization's sign-in isn't available. Try again in a minute.",
	people.ErrUnverified: "Your organization's sign-in doesn't confirm that your e-mail address is verified. Ask your " +
		"Quayside administrator which claim it must send.",
	people.ErrUnmanaged: "This sign-in doesn't manage accounts of your e-mail address's domain. Use the account that " +
		"your organization manages. If you have a password here, sign in with it, and then connect this sign-in under " +
		"Your account.",
	people.ErrLinkedElsewhere: "Your e-mail address belongs to an account that is linked to another identity at your " +
		"organization's sign-in. This happens when an address is reassigned to another person, or when the sign-in was " +
		"set up again. Ask your Quayside administrator to unlink that account.",
	people.ErrNotInvited: "Your e-mail address hasn't been invited. Ask an owner or admin for an invitation.",
}
