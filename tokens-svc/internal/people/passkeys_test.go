package people_test

import (
	"encoding/json"
	"errors"
	"net/netip"
	"net/url"
	"testing"

	authn "github.com/descope/virtualwebauthn"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/passkey"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// site is where browsers are; an authenticator takes part in ceremonies there.
var site = authn.RelyingParty{ID: "quayside.example", Name: "Quayside", Origin: "https://quayside.example"}

// keyed is a service with passkeys, and a member of it.
func keyed(t *testing.T, repo people.Repository) (*people.Service, people.User) {
	t.Helper()
	public, err := url.Parse(site.Origin)
	if err != nil {
		t.Fatal(err)
	}
	party, err := passkey.New(public)
	if err != nil {
		t.Fatal(err)
	}
	s := people.NewService(repo, people.Config{Passwords: cheap(), Passkeys: party})
	u, _ := enroll(t, s, anna)
	return s, u
}

// made returns an authenticator with a passkey of a person, whose ceremony is complete. Keys are RSA:
// of P-256 the library cuts leading zeros off, and then they are refused.
func made(t *testing.T, s *people.Service, u people.User) (authn.Authenticator, authn.Credential) {
	t.Helper()
	a := authn.NewAuthenticatorWithOptions(authn.AuthenticatorOptions{UserHandle: []byte(u.ID)})
	c := authn.NewCredential(authn.KeyTypeRSA)
	ceremony, response := adding(t, s, u, site, a, c)
	if err := s.AddPasskey(t.Context(), u, "Office laptop", ceremony, response, here); err != nil {
		t.Fatal(err)
	}
	return a, c
}

// adding begins to add a passkey, and has the browser's response.
func adding(
	t *testing.T, s *people.Service, u people.User, at authn.RelyingParty, a authn.Authenticator, c authn.Credential,
) (ceremony, response string) {
	t.Helper()
	begun, ceremony, err := s.BeginPasskey(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	options, err := authn.ParseAttestationOptions(text(t, begun))
	if err != nil {
		t.Fatal(err)
	}
	return ceremony, authn.CreateAttestationResponse(at, a, c, *options)
}

// signing begins to sign in, and has the browser's response.
func signing(
	t *testing.T, s *people.Service, at authn.RelyingParty, a authn.Authenticator, c authn.Credential,
) (ceremony, response string) {
	t.Helper()
	begun, ceremony, err := s.BeginSignIn()
	if err != nil {
		t.Fatal(err)
	}
	options, err := authn.ParseAssertionOptions(text(t, begun))
	if err != nil {
		t.Fatal(err)
	}
	return ceremony, authn.CreateAssertionResponse(at, a, c, *options)
}

func text(t *testing.T, options any) string {
	t.Helper()
	b, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestOnlyAPasskeyOfTheAccountAndTheCeremonyIsGood(t *testing.T) {
	t.Parallel()
	s, u := keyed(t, repository(t))
	a, c := made(t, s, u)
	other, _ := enroll(t, s, people.Enrolment{
		Organization: org, Email: "bert@acme.example", Role: "member", Password: secret,
	})
	c.Counter = 5
	earlier, response := signing(t, s, site, a, c)
	later, _ := signing(t, s, site, a, c)
	elsewhere := site
	elsewhere.Origin = "https://quayside.example.evil.example"
	unverified, stranger, unknown, binary := a, a, a, a
	unverified.Options.UserNotVerified = true
	stranger.Options.UserHandle, unknown.Options.UserHandle = []byte(other.ID), []byte("usr_0")
	binary.Options.UserHandle = []byte{0xff, 0}
	for name, try := range map[string]func() (ceremony, response string){
		"another ceremony":          func() (string, string) { return later, response },
		"no ceremony":               func() (string, string) { return "", response },
		"no response":               func() (string, string) { return earlier, "" },
		"another site":              func() (string, string) { return signing(t, s, elsewhere, a, c) },
		"without a PIN":             func() (string, string) { return signing(t, s, site, unverified, c) },
		"of another account":        func() (string, string) { return signing(t, s, site, stranger, c) },
		"of an unknown account":     func() (string, string) { return signing(t, s, site, unknown, c) },
		"of bytes that are no text": func() (string, string) { return signing(t, s, site, binary, c) },
		"another passkey": func() (string, string) {
			return signing(t, s, site, a, authn.NewCredential(authn.KeyTypeRSA))
		},
	} {
		ceremony, response := try()
		if got, err := s.SignInWithPasskey(t.Context(), ceremony, response, here); !errors.Is(err, people.ErrFactor) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := s.SignInWithPasskey(t.Context(), earlier, response, here); err != nil {
		t.Fatal(err)
	}
	ceremony, response := signing(t, s, site, a, c)
	if _, err := s.SignInWithPasskey(t.Context(), ceremony, response, here); !errors.Is(err, people.ErrFactor) {
		t.Errorf("a copy, whose counter did not grow: %v", err)
	}
	s.Wait() // until the refusals are recorded
	colleague(t, s, "second@acme.example", tokens.RoleOwner)
	if err := s.Disable(t.Context(), u, ""); err != nil {
		t.Fatal(err)
	}
	c.Counter++
	ceremony, response = signing(t, s, site, a, c)
	if _, err := s.SignInWithPasskey(t.Context(), ceremony, response, here); !errors.Is(err, people.ErrDisabled) {
		t.Errorf("of a disabled account: %v", err)
	}
	s.Wait()
	events, err := s.SignIns(t.Context(), u.ID, 1)
	if err != nil || len(events) != 1 || events[0].Details["reason"] != "account disabled" {
		t.Errorf("%+v, %v", events, err)
	}
}

func TestAPasskeyIsAddedInItsCeremonyAndRemoved(t *testing.T) {
	t.Parallel()
	s, u := keyed(t, repository(t))
	a, c := made(t, s, u)
	elsewhere := site
	elsewhere.Origin = "https://evil.example"
	ceremony, response := adding(t, s, u, elsewhere, a, authn.NewCredential(authn.KeyTypeRSA))
	if err := s.AddPasskey(t.Context(), u, "Phone", ceremony, response, here); !errors.Is(err, people.ErrFactor) {
		t.Errorf("of another site: %v", err)
	}
	ceremony, response = adding(t, s, u, site, a, authn.NewCredential(authn.KeyTypeRSA))
	if field, code := fault(t, s.AddPasskey(t.Context(), u, " ", ceremony, response, here)); field != "name" ||
		code != tokens.Required {
		t.Errorf("without a name: %s %s", field, code)
	}
	u, err := s.ChangePassword(t.Context(), u.ID, secret, newSecret, here)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Factors(t.Context(), u)
	if err != nil || len(f.Passkeys) != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	if err := s.RemovePasskey(t.Context(), u, f.Passkeys[0].ID(), here); err != nil {
		t.Fatal(err)
	}
	c.Counter++
	ceremony, response = signing(t, s, site, a, c)
	if _, err := s.SignInWithPasskey(t.Context(), ceremony, response, here); !errors.Is(err, people.ErrFactor) {
		t.Errorf("after its removal: %v", err)
	}
}

// TestFailedPasskeysAreBoundedPerAccount, whatever addresses they come from.
func TestFailedPasskeysAreBoundedPerAccount(t *testing.T) {
	t.Parallel()
	s, u := keyed(t, repository(t))
	a, c := made(t, s, u)
	device, err := s.NewDevice(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	ceremony, response := signing(t, s, site, a, authn.NewCredential(authn.KeyTypeRSA))
	for i := range people.AttemptsPerAccount {
		from := people.ClientInfo{Address: netip.AddrFrom4([4]byte{203, 0, 113, byte(i)})}
		if _, err := s.SignInWithPasskey(t.Context(), ceremony, response, from); !errors.Is(err, people.ErrFactor) {
			t.Fatal(err)
		}
	}
	c.Counter++
	ceremony, response = signing(t, s, site, a, c)
	_, err = s.SignInWithPasskey(t.Context(), ceremony, response, here)
	if _, throttled := errors.AsType[*people.ThrottledError](err); !throttled {
		t.Errorf("one more: %v", err)
	}
	known := here
	known.Device = device
	if _, err := s.SignInWithPasskey(t.Context(), ceremony, response, known); err != nil {
		t.Errorf("in a known browser: %v", err)
	}
	s.Wait()
}

// TestAPersonOfTheIssuerHasNoFactors: the issuer decides how they prove who they are, and whether they still may.
func TestAPersonOfTheIssuerHasNoFactors(t *testing.T) {
	t.Parallel()
	s, u := keyed(t, repository(t))
	a, c := made(t, s, u)
	u, linked, err := s.SignInWith(t.Context(), claims("1", u.Email), "", here)
	if err != nil || !linked {
		t.Fatal(linked, err)
	}
	ceremony, response := signing(t, s, site, a, c)
	if _, err := s.SignInWithPasskey(t.Context(), ceremony, response, here); !errors.Is(err, people.ErrFactor) {
		t.Errorf("the passkey of the account that was linked: %v", err)
	}
	ceremony, response = adding(t, s, u, site, a, c)
	if err := s.AddPasskey(t.Context(), u, "Phone", ceremony, response, here); !errors.Is(err, tokens.ErrForbidden) {
		t.Errorf("a new one: %v", err)
	}
}
