package tokens

import (
	"context"
	"fmt"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// Service is the operations on organizations and tokens. It is safe for
// concurrent use.
//
// Besides the errors that methods name, all of them pass on the repository's
// ErrUnavailable.
type Service struct {
	Reader

	repo        Repository
	peppers     Peppers
	now         func() time.Time
	permissions *Catalogue
	maxActive   int
	made        func(context.Context, audit.Actor, Token)
}

// Config has the settings of a Service. The zero Config suits a program that
// neither makes nor verifies tokens.
type Config struct {
	Peppers Peppers          // needed to make, change and introspect tokens
	Now     func() time.Time // zero: time.Now
	// Permissions are those that tokens can be granted. Zero: the built-in ones.
	Permissions *Catalogue
	// MaxActive is how many active tokens an organization may have. Zero: any number.
	MaxActive int
	// Made is called after a token was made or rotated into, with who did it. Zero: nothing.
	Made func(context.Context, audit.Actor, Token)
}

// NewService returns a service over repo.
func NewService(repo Repository, c Config) *Service {
	s := &Service{
		Reader: repo, repo: repo, peppers: c.Peppers, now: c.Now,
		permissions: c.Permissions, maxActive: c.MaxActive, made: c.Made,
	}
	if s.made == nil {
		s.made = func(context.Context, audit.Actor, Token) {}
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.permissions == nil {
		s.permissions = builtIn()
	}
	return s
}

// Now returns the current time for statuses: UTC, whole
// milliseconds.
func (s *Service) Now() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// Permissions returns the permissions that tokens can be granted.
func (s *Service) Permissions() *Catalogue { return s.permissions }

// CreateOrganization stores a new organization under an id of the caller's
// choice. It gives ErrExists when the id is taken, and a ValidationError. It
// does not check permissions: only operators call it.
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

// CreateToken makes a token for org and returns its secret, which nothing can
// return again. It gives ErrNotFound when there is no such organization,
// ErrForbidden, a ValidationError, a TooManyError, and the errors that WithKey
// names; then it created no token.
func (s *Service) CreateToken(ctx context.Context, principal Principal, org OrgID, d Draft) (Token, Secret, error) {
	var t Token
	var secret Secret
	err := s.repo.Change(ctx, org, s.terms(&principal), func(tx Tx) error {
		if !principal.MayCreate() {
			return principal.refuse("make tokens")
		}
		o, _, err := tx.Organization(ctx)
		if err != nil {
			return err
		}
		if t, err = d.check(s.permissions, principal, s.Now()); err != nil {
			return err
		}
		if err := s.checkActive(ctx, tx); err != nil {
			return err
		}
		secret = Generate(t.Environment)
		t.Organization, t.ID, t.Lineage = o, secret.ID(), secret.ID()
		if err := tx.StoreKey(ctx, principal.key, t.ID); err != nil {
			return err
		}
		if err := tx.Record(ctx, s.entry(principal, audit.TokenCreated, string(t.ID), describe(t))); err != nil {
			return err
		}
		t.Revision, err = tx.Insert(ctx, t, s.peppers.Seal(secret))
		return err
	})
	if err != nil {
		return Token{}, Secret{}, fmt.Errorf("token of organization %s: %w", org, err)
	}
	s.made(ctx, principal.Actor, t)
	return t, secret, nil
}

// changeToken runs work on a token of org. principal is up to date in work.
func (s *Service) changeToken(
	ctx context.Context, principal *Principal, org OrgID, id TokenID, work func(Tx, Token) error,
) error {
	err := s.repo.Change(ctx, org, s.terms(principal), func(tx Tx) error {
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

// Find returns a token of any organization, or ErrNotFound. It is for the token itself, and for
// operators.
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
