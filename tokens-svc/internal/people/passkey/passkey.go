// Package passkey adds passkeys to accounts and verifies them (Web Authentication, Level 3).
//
// Guarantees: a passkey is discoverable, so that it names the account by itself; it has verified its
// holder by a PIN or their body; it is good for this origin only; a signature is good for the one
// challenge of its ceremony; and a copy of a passkey that counts its signatures is refused.
package passkey

import (
	"database/sql/driver"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// ErrInvalid means that the browser's response does not fit the ceremony or the account.
var ErrInvalid = errors.New("the passkey is not valid here")

// Passkey is one of an account.
type Passkey struct {
	Name       string              `json:"name"`
	AddedAt    time.Time           `json:"added_at"`
	UsedAt     time.Time           `json:"used_at"` // zero: never
	Credential webauthn.Credential `json:"credential"`
}

// List is the passkeys of an account. It is stored as JSON.
type List []Passkey

// Scan implements sql.Scanner.
func (l *List) Scan(src any) error {
	text, _ := src.([]byte)
	return json.Unmarshal(text, l)
}

// Value implements driver.Valuer.
func (l List) Value() (driver.Value, error) {
	text, err := json.Marshal(append(List{}, l...))
	return string(text), err
}

// Index returns the place of a passkey by its ID, or -1.
func (l List) Index(id string) int {
	return slices.IndexFunc(l, func(p Passkey) bool { return p.ID() == id })
}

// ID identifies the passkey in its account.
func (p Passkey) ID() string { return base64.RawURLEncoding.EncodeToString(p.Credential.ID) }

// Holder is an account: the user of a ceremony.
type Holder struct {
	ID       string
	Name     string // as browsers show it
	Passkeys List
}

// WebAuthnID implements webauthn.User.
func (h Holder) WebAuthnID() []byte { return []byte(h.ID) }

// WebAuthnName implements webauthn.User.
func (h Holder) WebAuthnName() string { return h.Name }

// WebAuthnDisplayName implements webauthn.User.
func (h Holder) WebAuthnDisplayName() string { return h.Name }

// WebAuthnCredentials implements webauthn.User.
func (h Holder) WebAuthnCredentials() (all []webauthn.Credential) {
	for _, p := range h.Passkeys {
		all = append(all, p.Credential)
	}
	return all
}

// Party is the relying party.
type Party struct{ webauthn *webauthn.WebAuthn }

// New returns the relying party at a URL. Its host must be a name: browsers have no passkeys for addresses.
func New(public *url.URL) (*Party, error) {
	if err := protocol.ValidateRPID(public.Hostname()); err != nil {
		return nil, fmt.Errorf("no passkeys for the host %s: %w", public.Hostname(), err)
	}
	w, err := webauthn.New(&webauthn.Config{
		RPID: public.Hostname(), RPDisplayName: "Quayside", RPOrigins: []string{public.Scheme + "://" + public.Host},
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired,
		},
		// Password managers add outputs that nobody asked for.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	return &Party{w}, err
}

// BeginAdd returns what the browser needs to make a passkey, and the ceremony for FinishAdd.
func (p *Party) BeginAdd(h Holder) (options any, ceremony string, err error) {
	var known []protocol.CredentialDescriptor
	for _, c := range h.WebAuthnCredentials() {
		known = append(known, c.Descriptor())
	}
	options, session, err := p.webauthn.BeginRegistration(h, webauthn.WithExclusions(known))
	return begun(options, session, err)
}

// FinishAdd returns the passkey that the browser made, without its name.
func (p *Party) FinishAdd(h Holder, ceremony, response string) (Passkey, error) {
	session, err := sessionOf(ceremony)
	if err != nil {
		return Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(response))
	if err != nil {
		return Passkey{}, invalid(err)
	}
	made, err := p.webauthn.CreateCredential(h, session, parsed)
	if err != nil {
		return Passkey{}, invalid(err)
	}
	made.Attestation = webauthn.CredentialAttestation{} // nothing asks who made the authenticator
	return Passkey{Credential: *made}, nil
}

// BeginSignIn returns what the browser needs to find a passkey, and the ceremony for FinishSignIn.
func (p *Party) BeginSignIn() (options any, ceremony string, err error) {
	options, session, err := p.webauthn.BeginDiscoverableLogin()
	return begun(options, session, err)
}

// FinishSignIn returns the holder and the passkey that signed, as it is to be stored. find returns a
// holder by id; its errors are passed on.
func (p *Party) FinishSignIn(
	ceremony, response string, find func(id string) (Holder, error),
) (h Holder, used Passkey, err error) {
	session, err := sessionOf(ceremony)
	if err != nil {
		return Holder{}, Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(response))
	if err != nil {
		return Holder{}, Passkey{}, invalid(err)
	}
	var lost error
	_, c, err := p.webauthn.ValidatePasskeyLogin(func(_, id []byte) (webauthn.User, error) {
		h, lost = find(string(id))
		return h, lost
	}, session, parsed)
	switch {
	case lost != nil:
		return Holder{}, Passkey{}, lost
	case err != nil:
		return h, Passkey{}, invalid(err)
	case c.Authenticator.CloneWarning:
		return h, Passkey{}, invalid(errors.New("its counter did not grow"))
	}
	used = h.Passkeys[h.Passkeys.Index(Passkey{Credential: *c}.ID())]
	used.Credential = *c
	return h, used, nil
}

func begun(options any, session *webauthn.SessionData, err error) (any, string, error) {
	if err != nil {
		return nil, "", fmt.Errorf("begin a ceremony of passkeys: %w", err)
	}
	text, err := json.Marshal(session)
	return options, string(text), err
}

func sessionOf(ceremony string) (session webauthn.SessionData, err error) {
	if err := json.Unmarshal([]byte(ceremony), &session); err != nil {
		return session, invalid(errors.New("no ceremony has begun, or it was finished before"))
	}
	return session, nil
}

func invalid(err error) error { return fmt.Errorf("%w: %w", ErrInvalid, err) }
