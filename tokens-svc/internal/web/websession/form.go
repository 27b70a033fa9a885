package websession

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// A form's nonce is random bytes and a MAC of them under the session's token:
// only this session can have received it, and nothing is stored before
// it is used.
const (
	nonceLen = 16
	macLen   = 16
)

// Form returns a nonce for a form of the given purpose. It is good once, for
// that purpose, in this session.
func (m *Manager) Form(ctx context.Context, purpose string) string {
	nonce := make([]byte, nonceLen, nonceLen+macLen)
	_, _ = rand.Read(nonce) // never fails: see its documentation
	return base64.RawURLEncoding.EncodeToString(append(nonce, m.formMAC(ctx, purpose, nonce)...))
}

// Use is the result of using a form's nonce.
type Use struct {
	// Known says that the nonce is one that Form returned for this purpose in
	// this session. Fresh says that it was not used before.
	Known, Fresh bool
	// Outcome is the value that the first use passed to NoteForm.
	Outcome string

	nonce []byte
}

// UseForm uses up a form's nonce. Of any number of callers, one gets Fresh: it
// is fresh.
func (m *Manager) UseForm(ctx context.Context, purpose, text string) (Use, error) {
	content, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(content) != nonceLen+macLen || m.User(ctx) == "" {
		return Use{}, nil //nolint:nilerr // a text of this kind is no nonce of ours
	}
	nonce, mac := content[:nonceLen], content[nonceLen:]
	if !hmac.Equal(mac, m.formMAC(ctx, purpose, nonce)) {
		return Use{}, nil
	}
	fresh, outcome, err := m.store.UseForm(ctx, m.ID(ctx), nonce)
	if errors.Is(err, tokens.ErrNotFound) {
		return Use{}, nil // the session was ended a moment ago
	}
	return Use{Known: true, Fresh: fresh, Outcome: outcome, nonce: nonce}, err
}

// NoteForm stores the outcome of a form for repeated submissions.
func (m *Manager) NoteForm(ctx context.Context, used Use, outcome string) error {
	return m.store.NoteForm(ctx, m.ID(ctx), used.nonce, outcome)
}

// ReleaseForm makes a form usable again after a submission without effect.
func (m *Manager) ReleaseForm(ctx context.Context, used Use) error {
	return m.store.ReleaseForm(ctx, m.ID(ctx), used.nonce)
}

func (m *Manager) formMAC(ctx context.Context, purpose string, nonce []byte) []byte {
	mac := hmac.New(sha256.New, []byte(m.scs.Token(ctx)))
	mac.Write([]byte("form\x00" + purpose + "\x00"))
	mac.Write(nonce)
	return mac.Sum(nil)[:macLen]
}
