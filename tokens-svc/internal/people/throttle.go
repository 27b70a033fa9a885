package people

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit/address"
)

// Limits of attempts at a secret, within a window that begins with the first attempt. Passwords at sign-in, invitation
// codes and current passwords at a password change are counted separately.
const (
	AttemptWindow = 15 * time.Minute
	// AttemptsPerDevice is for an account and one known device, or one client address without a known device.
	AttemptsPerDevice = 10
	// AttemptsPerAddress is for a client address, of IPv6 its /64, whatever accounts it tries.
	AttemptsPerAddress = 50
	// AttemptsPerAccount is for an account from all addresses together, without a
	// known device. It bounds distributed guessing.
	AttemptsPerAccount = 100
)

// count is a counter of attempts.
type count struct {
	key   [32]byte
	limit int
}

func newCount(limit int, parts ...string) count {
	h := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // never fails: see its documentation
	}
	return count{key: [32]byte(h.Sum(nil)), limit: limit}
}

// ofAddress returns the counter of a client address.
func ofAddress(purpose string, client ClientInfo) count {
	return newCount(AttemptsPerAddress, purpose, "address", address.Network(client.Address).String())
}

// toSignIn returns the counters of an attempt to sign in to an account, which is zero if there is none. A device that
// its holder signed in with before has a counter of its own, so that others who try passwords do not lock it out: the
// device cookies of the OWASP Authentication Cheat Sheet. Of an unknown device they are checked in this order, so that
// one client address uses up its own share of an account before that of everybody else.
func toSignIn(a Account, email string, client ClientInfo) []count {
	if nonce, ok := a.knows(client.Device); ok {
		return []count{newCount(AttemptsPerDevice, "sign-in", "device", string(a.ID), nonce)}
	}
	return []count{
		ofAddress("sign-in", client),
		newCount(AttemptsPerDevice, "sign-in", "account and address", email, address.Network(client.Address).String()),
		newCount(AttemptsPerAccount, "sign-in", "account", email),
	}
}

// ofPasskeys returns the counter of attempts with the passkeys of an account, in a known device or in all others.
func ofPasskeys(a Account, client ClientInfo) count {
	if nonce, ok := a.knows(client.Device); ok {
		return newCount(AttemptsPerDevice, "passkey", "device", string(a.ID), nonce)
	}
	return newCount(AttemptsPerAccount, "passkey", "account", string(a.ID))
}

// attempt counts one more attempt, or gives a *ThrottledError. The function
// that it returns takes the attempt back, and is to be called when it succeeded.
func (s *Service) attempt(ctx context.Context, counts ...count) (succeeded func(context.Context) error, err error) {
	now := s.Now()
	for _, c := range counts {
		n, since, err := s.repo.Attempt(ctx, c.key, now, AttemptWindow)
		if err != nil {
			return nil, err
		}
		if n > c.limit {
			wait := since.Add(AttemptWindow).Sub(now) + time.Second - 1
			return nil, &ThrottledError{RetryAfter: wait.Truncate(time.Second)}
		}
	}
	return func(ctx context.Context) error {
		for _, c := range counts {
			if err := s.repo.ReturnAttempt(ctx, c.key); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

const deviceNonce = 16 // bytes

// NewDevice returns a text by which a browser can show later that this account was signed in to there. It is good
// until the password changes, and does not sign in by itself. It gives ErrEnded.
func (s *Service) NewDevice(ctx context.Context, u User) (string, error) {
	a, err := s.Find(ctx, string(u.ID))
	if err == nil {
		err = a.as(u)
	}
	if err != nil {
		return "", err
	}
	nonce := make([]byte, deviceNonce)
	_, _ = rand.Read(nonce) // never fails: see its documentation
	return base64.RawURLEncoding.EncodeToString(append(nonce, a.deviceMAC(nonce)...)), nil
}

// knows reports whether NewDevice made a text for this account and its present
// password, and returns the part of it that names the device.
func (a Account) knows(device string) (nonce string, ok bool) {
	content, err := base64.RawURLEncoding.DecodeString(device)
	if err != nil || len(content) != deviceNonce+sha256.Size || a.Password+a.DeviceKey == "" {
		return "", false
	}
	return string(content[:deviceNonce]), hmac.Equal(content[deviceNonce:], a.deviceMAC(content[:deviceNonce]))
}

// deviceMAC is keyed with the stored password, whose salt and hash are secret
// outside of the database, or with what stands for it.
func (a Account) deviceMAC(nonce []byte) []byte {
	mac := hmac.New(sha256.New, []byte(cmp.Or(a.Password, a.DeviceKey)))
	mac.Write([]byte("device\x00" + string(a.ID) + "\x00"))
	mac.Write(nonce)
	return mac.Sum(nil)
}
