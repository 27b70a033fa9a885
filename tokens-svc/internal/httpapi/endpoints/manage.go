package endpoints

import (
	"context"
	"errors"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Service is the domain's operations for managing tokens.
type Service interface {
	Admission
	Token(ctx context.Context, org tokens.OrgID, id tokens.TokenID) (tokens.Token, error)
	Tokens(ctx context.Context, org tokens.OrgID, q tokens.Query) ([]tokens.Token, int, error)
	Usage(ctx context.Context, org tokens.OrgID, ids ...tokens.TokenID) (map[tokens.TokenID]tokens.Usage, error)
	CreateToken(ctx context.Context, principal tokens.Principal, org tokens.OrgID, d tokens.Draft) (tokens.Token, tokens.Secret, error)
	UpdateToken(ctx context.Context, principal tokens.Principal, org tokens.OrgID, id tokens.TokenID, p tokens.Patch) (tokens.Token, error)
	RotateToken(ctx context.Context, principal tokens.Principal, org tokens.OrgID, id tokens.TokenID, grace time.Duration) (tokens.Rotation, error)
	Children(ctx context.Context, org tokens.OrgID, id tokens.TokenID) ([]tokens.Token, error)
	RevokeWithChildren(ctx context.Context, principal tokens.Principal, org tokens.OrgID, id tokens.TokenID, reason string) (tokens.Token, error)
	RevokeToken(ctx context.Context, principal tokens.Principal, org tokens.OrgID, id tokens.TokenID, reason string) (tokens.Token, error)
	AuditEvents(ctx context.Context, principal tokens.Principal, org tokens.OrgID, p tokens.Page) ([]audit.Event, int, error)
}

// Management is the methods of the management API. Each acts in the asker's
// organization.
type Management struct{ Service Service }

// Shown is a token at a time.
type Shown struct {
	Token tokens.Token
	Usage *tokens.Usage // nil: not shown
	Now   time.Time
}

// Made is a new token.
type Made struct {
	Token  tokens.Token
	Secret tokens.Secret
	Now    time.Time
}

// Rotated is a token and the one whose place it takes.
type Rotated struct {
	tokens.Rotation
	Now time.Time
}

// List is a page of tokens with their usage.
type List struct {
	Page   tokens.Page
	Total  int
	Tokens []tokens.Token
	Usage  map[tokens.TokenID]tokens.Usage
	Now    time.Time
}

// Events is a page of the audit log.
type Events struct {
	Page   tokens.Page
	Total  int
	Events []audit.Event
}

// Update is a change of a token.
type Update struct {
	ID    tokens.TokenID
	Patch tokens.Patch
}

// Creation is a token that is to be made.
type Creation struct {
	Draft tokens.Draft
	Key   *Key // nil: none
}

// Rotation is how a token is to be rotated.
type Rotation struct {
	ID    tokens.TokenID // "": the asker
	Grace time.Duration
	Key   *Key // nil: none
}

// Revocation is why a token is to end.
type Revocation struct {
	ID       tokens.TokenID // "": the asker
	Reason   string
	Children bool // those that were made with it, too
	Key      *Key // nil: none
}

// Revoked is a token that has ended.
type Revoked struct {
	Shown
	ActiveChildren int  // how many tokens that were made with it still work
	Replayed       bool // the same request had revoked it before
}

// Self returns the calling token.
func (m Management) Self(_ context.Context, principal Principal, _ struct{}) (Shown, error) {
	return Shown{Token: principal.Token, Now: m.Service.Now()}, nil
}

// Get returns a token.
func (m Management) Get(ctx context.Context, principal Principal, id tokens.TokenID) (Shown, error) {
	t, err := m.Service.Token(ctx, principal.Organization, id)
	if err == nil && !principal.MaySee(t) {
		err = tokens.ErrNotFound
	}
	if err != nil {
		return Shown{}, err
	}
	usage, err := m.Service.Usage(ctx, principal.Organization, id)
	if err != nil {
		return Shown{}, err
	}
	u := usage[id]
	return Shown{Token: t, Usage: &u, Now: m.Service.Now()}, nil
}

// List returns a page of tokens.
func (m Management) List(ctx context.Context, principal Principal, q tokens.Query) (List, error) {
	q.Environment = principal.Sees()
	page, total, err := m.Service.Tokens(ctx, principal.Organization, q)
	if err != nil {
		return List{}, err
	}
	usage, err := m.Service.Usage(ctx, principal.Organization, tokens.IDs(page)...)
	return List{Page: q.Page, Total: total, Tokens: page, Usage: usage, Now: m.Service.Now()}, err
}

// Create makes a token.
func (m Management) Create(ctx context.Context, principal Principal, c Creation) (Made, error) {
	t, secret, err := m.Service.CreateToken(ctx, m.keyed(principal, c.Key), principal.Organization, c.Draft)
	return Made{Token: t, Secret: secret, Now: m.Service.Now()}, err
}

// Update changes a token.
func (m Management) Update(ctx context.Context, principal Principal, u Update) (Shown, error) {
	t, err := m.Service.UpdateToken(ctx, principal.Principal, principal.Organization, u.ID, u.Patch)
	return Shown{Token: t, Now: m.Service.Now()}, err
}

// Rotate makes a token's successor.
func (m Management) Rotate(ctx context.Context, principal Principal, r Rotation) (Rotated, error) {
	done, err := m.Service.RotateToken(ctx, m.keyed(principal, r.Key, string(principal.or(r.ID))), principal.Organization, principal.or(r.ID), r.Grace)
	return Rotated{Rotation: done, Now: m.Service.Now()}, err
}

// Revoke revokes a token. A repeated request completes an interrupted first one:
// it changes nothing but children that still work.
func (m Management) Revoke(ctx context.Context, principal Principal, r Revocation) (Revoked, error) {
	revoke, id := m.Service.RevokeToken, principal.or(r.ID)
	if r.Children {
		revoke = m.Service.RevokeWithChildren
	}
	t, err := revoke(ctx, m.keyed(principal, r.Key, string(id)), principal.Organization, id, r.Reason)
	_, replayed := errors.AsType[*tokens.RepeatedError](err)
	if replayed {
		t, err = revoke(ctx, principal.Principal, principal.Organization, id, r.Reason)
	}
	if err != nil {
		return Revoked{}, err
	}
	left, err := m.Service.Children(ctx, principal.Organization, id)
	return Revoked{Shown{Token: t, Now: m.Service.Now()}, len(left), replayed}, err
}

// AuditEvents returns a page of the audit log.
func (m Management) AuditEvents(ctx context.Context, principal Principal, p tokens.Page) (Events, error) {
	events, total, err := m.Service.AuditEvents(ctx, principal.Principal, principal.Organization, p)
	return Events{Page: p, Total: total, Events: events}, err
}

// or returns id, or the asker's own where it is empty.
func (a Principal) or(id tokens.TokenID) tokens.TokenID {
	if id == "" {
		return a.Token.ID
	}
	return id
}
