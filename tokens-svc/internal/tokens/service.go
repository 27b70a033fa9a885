package tokens

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// Service is the operations on organizations and tokens. It is safe for concurrent use.
//
// Besides the errors that methods name, all of them pass on the repository's ErrUnavailable.
type Service struct {
	repo      Repository
	config    Config
	resealing sync.Mutex
}

// Config has the settings of a Service. The zero Config suits a program that neither makes nor verifies tokens.
type Config struct {
	Peppers Peppers          // needed to make, change and introspect tokens
	Now     func() time.Time // zero: time.Now
	// Permissions are those that tokens can be granted. Zero: the built-in ones.
	Permissions *Catalogue
	// MaxActive is how many active tokens an organization may have. Zero: any number.
	MaxActive int
	// Notices returns the mails to the holders of a token that was made or rotated into by an actor. Zero: none.
	Notices func(by audit.Actor, t Token, holders []string) []audit.Mail
}

// NewService returns a service over repo.
func NewService(repo Repository, c Config) *Service {
	if c.Notices == nil {
		c.Notices = func(audit.Actor, Token, []string) []audit.Mail { return nil }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Permissions == nil {
		c.Permissions = builtIn()
	}
	return &Service{repo: repo, config: c}
}

// Now returns the current time for statuses: UTC, whole milliseconds.
func (s *Service) Now() time.Time { return s.config.Now().UTC().Truncate(time.Millisecond) }

// Permissions returns the permissions that tokens can be granted.
func (s *Service) Permissions() *Catalogue { return s.config.Permissions }

// CreateOrganization stores a new organization under an id of the caller's choice. It gives ErrExists when the id is
// taken, and a ValidationError. It does not check permissions: only operators call it.
func (s *Service) CreateOrganization(
	ctx context.Context, principal Principal, org OrgID, name string,
) (Organization, error) {
	var wrong ValidationError
	o := Organization{ID: org, Name: wrong.Text("name", name, 1, maxName), CreatedAt: s.Now()}
	if err := wrong.OrNil(); err != nil {
		return Organization{}, err
	}
	entry := s.entry(principal, audit.OrganizationCreated, string(org), map[string]string{"name": o.Name})
	if err := s.repo.CreateOrganization(ctx, o, entry); err != nil {
		return Organization{}, fmt.Errorf("organization %s: %w", org, err)
	}
	return o, nil
}

// Draft is a requested token. CreateToken reports all faults of it at once, as a ValidationError.
type Draft struct {
	Name        string
	Environment Environment // zero: that of the calling token, or Live
	Permissions []string    // at least one
	IPAllow     []string    // addresses and CIDR ranges, IPv4 and IPv6; nil: those of the calling token
	RateLimit   RateLimit   // its zero parts take those of DefaultRateLimit, or of the calling token if that is lower
	ExpiresAt   time.Time   // zero: never
	// DefaultExpiry marks ExpiresAt as a default: it gives way to an earlier end of the calling token, or by the policy.
	DefaultExpiry bool
	// OfOrganization makes the organization the owner, and not the principal.
	OfOrganization bool
}

// CreateToken makes a token for org and returns its secret, which nothing can return again. It gives ErrNotFound when
// there is no such organization, ErrForbidden, a ValidationError, a TooManyError, and the errors that WithKey names;
// then it created no token.
func (s *Service) CreateToken(ctx context.Context, principal Principal, org OrgID, d Draft) (Token, Secret, error) {
	var t Token
	var secret Secret
	err := s.change(ctx, &principal, org, func(tx Tx) error {
		if !principal.MayCreate() {
			return principal.refuse("make tokens")
		}
		var err error
		if t, err = d.check(s.config.Permissions, principal, s.Now()); err != nil {
			return err
		}
		if err := s.checkActive(ctx, tx); err != nil {
			return err
		}
		secret = Generate(t.Environment)
		t.Organization, t.ID, t.Lineage = tx.Organization(), secret.ID(), secret.ID()
		if err := tx.StoreKey(ctx, principal.key, t.ID); err != nil {
			return err
		}
		if err := s.recordMade(ctx, tx, t, s.entry(principal, audit.TokenCreated, string(t.ID), describe(t))); err != nil {
			return err
		}
		t.Revision, err = tx.Insert(ctx, t, s.config.Peppers.Seal(secret))
		return err
	})
	if err != nil {
		return Token{}, Secret{}, fmt.Errorf("token of organization %s: %w", org, err)
	}
	return t, secret, nil
}

// describe returns a token's details for the audit log.
func describe(t Token) map[string]string {
	return map[string]string{
		"name":        t.Name,
		"environment": string(t.Environment),
		"permissions": join(t.Permissions, " "),
		"ip_allow":    cmp.Or(join(t.IPAllow, " "), "anywhere"),
		"rate_limit":  fmt.Sprintf("%d in %d s", t.RateLimit.Limit, t.RateLimit.WindowSeconds),
		"expires_at":  instant(t.ExpiresAt),
		"owner":       cmp.Or(t.Owner.Name, t.Owner.ID, "organization"),
	}
}

func instant(t time.Time) string { return cmp.Or(audit.Instant(t), "never") }

// recordMade records that a token was made, with the mails to its holders.
func (s *Service) recordMade(ctx context.Context, tx Tx, t Token, e audit.Entry) error {
	holders, err := tx.Holders(ctx, t, e.Actor)
	if err != nil {
		return err
	}
	e.Mails = s.config.Notices(e.Actor, t, holders)
	return tx.Record(ctx, e)
}

// changeToken runs work on a token of org. principal is up to date in work.
func (s *Service) changeToken(
	ctx context.Context, principal *Principal, org OrgID, id TokenID, work func(Tx, Token) error,
) error {
	err := s.change(ctx, principal, org, func(tx Tx) error {
		t, err := tx.Token(ctx, id)
		if err != nil {
			return err
		}
		return work(tx, t)
	})
	if err != nil {
		return fmt.Errorf("token %s of organization %s: %w", id, org, err)
	}
	return nil
}

// Token returns a token of org, whatever its status, or ErrNotFound.
func (s *Service) Token(ctx context.Context, org OrgID, id TokenID) (Token, error) {
	return s.repo.Token(ctx, org, id)
}

// Find returns a token of any organization, or ErrNotFound. It is for the token itself, and for operators.
func (s *Service) Find(ctx context.Context, id TokenID) (Token, error) {
	t, _, err := s.repo.FindToken(ctx, id)
	if err != nil {
		return Token{}, fmt.Errorf("token %s: %w", id, err)
	}
	return t, nil
}

// entry returns the audit entry of a principal's action.
func (s *Service) entry(
	principal Principal, action audit.Action, target string, details map[string]string,
) audit.Entry {
	return audit.Entry{At: s.Now(), Actor: principal.Actor, Action: action, Target: target, Details: details}
}

// ErrInvalidToken means that the calling token is not, or no longer, valid. The
// gateway learns it a moment later; here it is refused at once.
var ErrInvalidToken = errors.New("the token is not valid")

// TooManyError means that a change would exceed the number of active tokens that an
// organization may have. Nothing was done.
type TooManyError struct{ Max int }

// Error implements error.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("the organization has %d active tokens, the most it may have; revoke some that are not needed",
		e.Max)
}

// checkActive gives a *TooManyError where the organization may not have one more active token.
func (s *Service) checkActive(ctx context.Context, tx Tx) error {
	if s.config.MaxActive == 0 {
		return nil
	}
	n, err := tx.Active(ctx, s.Now())
	if err == nil && n >= s.config.MaxActive {
		err = &TooManyError{Max: s.config.MaxActive}
	}
	return err
}

// change runs work in a transaction of org, unless the request was done before. principal is up to date in work: what
// ended or shrank since the request began counts.
func (s *Service) change(ctx context.Context, principal *Principal, org OrgID, work func(Tx) error) error {
	return s.repo.Change(ctx, org, func(tx Tx) error { return s.refresh(ctx, tx, principal) }, func(tx Tx) error {
		if err := tx.CheckKey(ctx, principal.key); err != nil {
			return err
		}
		return work(tx)
	})
}

// refresh brings the rights of a person or of a calling token up to date.
func (s *Service) refresh(ctx context.Context, tx Tx, p *Principal) error {
	if p.caller == nil && p.catalogue == nil {
		return nil
	}
	policy := tx.Organization().Policy
	if p.caller == nil {
		role, err := tx.Role(ctx, p.Actor.ID)
		*p = p.As(role).Under(policy)
		return err
	}
	caller, err := tx.Token(ctx, p.caller.ID)
	if err != nil {
		return err
	}
	if status := caller.Status(s.Now()); status != StatusActive {
		return fmt.Errorf("%w: %s", ErrInvalidToken, status)
	}
	held := slices.DeleteFunc(s.config.Permissions.Effective(caller), func(permission Permission) bool {
		return !slices.Contains(p.grants, permission)
	})
	*p = s.config.Permissions.Bearer(p.Actor, caller, held).Under(policy).WithKey(p.key)
	return nil
}

// KeyLifetime is how long an idempotency key is stored.
const KeyLifetime = 24 * time.Hour

// ErrKeyReused means that the idempotency key belongs to a request with another body. Nothing was done.
var ErrKeyReused = errors.New("the idempotency key belongs to another request")

// RepeatedError means that a request with the same idempotency key and body took effect before. Nothing was done.
type RepeatedError struct{ Token TokenID } // the token that was made, or revoked

// Error implements error.
func (e *RepeatedError) Error() string {
	return fmt.Sprintf("this request was done before and made token %s; a secret is shown once and not stored. "+
		"If it was lost, revoke that token and make another with a new Idempotency-Key", e.Token)
}

// Key is the idempotency key of one request of an organization.
type Key struct {
	Sum         [sha256.Size]byte // names the request
	Fingerprint [sha256.Size]byte // of its body
	At          time.Time         // when it was made
}

// NewKey returns the key of a request that the parts name: among others its operation, its path and the text that the
// client chose. No part may contain a NUL.
func NewKey(fingerprint [sha256.Size]byte, at time.Time, parts ...string) *Key {
	return &Key{Sum: sha256.Sum256([]byte(strings.Join(parts, "\x00"))), Fingerprint: fingerprint, At: at}
}

// WithKey returns the principal for a request with an idempotency key. CreateToken, RotateToken and RevokeToken then
// take effect once within KeyLifetime: repeated, they give a *RepeatedError, or ErrKeyReused where the fingerprint is
// another. A request that is refused does not use up its key. nil: no key.
func (p Principal) WithKey(k *Key) Principal {
	p.key = k
	return p
}
