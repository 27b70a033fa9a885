package people

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// How often somebody may try to sign in, within a window that begins with the
// first attempt.
const (
	AttemptWindow      = 15 * time.Minute
	AttemptsPerAccount = 10
	AttemptsPerAddress = 50 // of an IPv6 address, its /64
)

// SignIn returns whose e-mail address and password these are. It gives
// ErrRefused and a *ThrottledError.
func (s *Service) SignIn(ctx context.Context, email, password string, from From) (User, error) {
	email = normalize(email)
	forgive, err := s.attempt(ctx, email, from)
	if err != nil {
		return User{}, err
	}
	u, err := s.verify(ctx, email, password)
	if err != nil {
		return User{}, err
	}
	return u, forgive(ctx)
}

// verify returns whose e-mail address and password these are, or ErrRefused.
func (s *Service) verify(ctx context.Context, email, password string) (User, error) {
	u, stored, err := s.repo.Credentials(ctx, email)
	if err != nil && !errors.Is(err, tokens.ErrNotFound) {
		return User{}, fmt.Errorf("look an account up: %w", err)
	}
	if len(password) > maxPassword {
		return User{}, ErrRefused
	}
	right, stale, err := s.passwords.Verify(ctx, stored, password)
	if err != nil {
		return User{}, fmt.Errorf("verify a password: %w", err)
	}
	if !right {
		return User{}, ErrRefused
	}
	if stale {
		hash, err := s.passwords.Hash(ctx, password)
		if err != nil {
			return User{}, err
		}
		if err := s.repo.SetPassword(ctx, u.ID, stored, hash); err != nil {
			return User{}, fmt.Errorf("store a password anew: %w", err)
		}
	}
	return u, nil
}

// attempt counts one more attempt, or gives a *ThrottledError. The function
// that it returns is for those who turn out to be who they say.
func (s *Service) attempt(ctx context.Context, email string, from From) (forgive func(context.Context) error, err error) {
	account := sha256.Sum256([]byte("account\x00" + email))
	address := sha256.Sum256([]byte("address\x00" + network(from.Address).String()))
	now := s.Now()
	for _, count := range []struct {
		key   [32]byte
		limit int
	}{{address, AttemptsPerAddress}, {account, AttemptsPerAccount}} {
		n, since, err := s.repo.Attempt(ctx, count.key, now, AttemptWindow)
		if err != nil {
			return nil, fmt.Errorf("count an attempt: %w", err)
		}
		if n > count.limit {
			wait := since.Add(AttemptWindow).Sub(now) + time.Second - 1
			return nil, &ThrottledError{RetryAfter: wait.Truncate(time.Second)}
		}
	}
	return func(ctx context.Context) error {
		if err := s.repo.Forgive(ctx, account, address); err != nil {
			return fmt.Errorf("forget an account's attempts: %w", err)
		}
		return nil
	}, nil
}

// network is what counts as one address: of IPv6, what one customer has.
func network(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return netip.Prefix{} // the address is not known
	}
	return p
}

// SignInWith returns who that is at the configured issuer. Whom it does not know
// yet it makes, provided that the issuer verified an e-mail address which is
// invited or in one of the domains; invitations are accepted thereby. It gives
// ErrUnverified and ErrNotInvited.
func (s *Service) SignInWith(ctx context.Context, c Claims, from From) (User, error) {
	c.Email = normalize(c.Email)
	u, err := s.repo.UserWith(ctx, c.Identity)
	known := err == nil
	switch {
	case err != nil && !errors.Is(err, tokens.ErrNotFound):
		return User{}, fmt.Errorf("look an identity up: %w", err)
	case !c.EmailVerified && known:
		return u, nil
	case !c.EmailVerified:
		return User{}, ErrUnverified
	case !known:
		u, known, err = s.claim(ctx, c)
		if err != nil {
			return User{}, err
		}
	}
	offers, err := s.repo.Offers(ctx, c.Email, s.Now())
	if err != nil {
		return User{}, fmt.Errorf("look invitations up: %w", err)
	}
	if domain, ok := s.domains[c.Email[strings.LastIndex(c.Email, "@")+1:]]; ok && !known {
		offers = append(offers, Offer{Organization: domain.Organization, Invitation: Invitation{Role: domain.Role}})
	}
	for _, offer := range offers {
		if u, err = s.join(ctx, offer, u, c, from); err != nil {
			return User{}, err
		}
		known = true
	}
	if !known {
		return User{}, ErrNotInvited
	}
	return u, nil
}

// claim gives an identity to the account with its e-mail address, if there is
// one.
func (s *Service) claim(ctx context.Context, c Claims) (u User, known bool, err error) {
	u, _, err = s.repo.Credentials(ctx, c.Email)
	if errors.Is(err, tokens.ErrNotFound) {
		now := s.Now()
		return User{ID: UserID(s.newID("usr")), Email: c.Email, Name: claimedName(c.Name), CreatedAt: now}, false, nil
	}
	if err == nil {
		err = s.repo.Link(ctx, u.ID, c.Identity, s.Now())
	}
	switch {
	case errors.Is(err, tokens.ErrExists):
		// The issuer gave the address to somebody else: they are not the one.
		return User{}, false, ErrNotInvited
	case err != nil:
		return User{}, false, fmt.Errorf("link an identity: %w", err)
	}
	return u, true, nil
}

// join accepts an offer on behalf of who signed in.
func (s *Service) join(ctx context.Context, offer Offer, u User, c Claims, from From) (User, error) {
	joined, err := s.repo.Admit(ctx, Admission{
		Organization: offer.Organization, User: u, Role: offer.Role, Identity: &c.Identity, Invitation: offer.ID,
		Entry: s.joined(from.actor(u), u.Email, offer.Role),
	})
	if err != nil {
		return User{}, fmt.Errorf("join organization %s: %w", offer.Organization, err)
	}
	return joined, nil
}
