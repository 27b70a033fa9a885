package tokens_test

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

// memory is a Repository for the service's tests. It passes the same suite as
// the real one.
type memory struct {
	mu       sync.Mutex
	down     error // what every look-up fails with, if anything
	orgs     map[tokens.OrgID]tokens.Organization
	tokens   map[tokens.TokenID]tokens.Token
	digests  map[tokens.TokenID]tokens.Digest
	revision int64
}

func newMemory() *memory {
	return &memory{
		orgs:    map[tokens.OrgID]tokens.Organization{},
		tokens:  map[tokens.TokenID]tokens.Token{},
		digests: map[tokens.TokenID]tokens.Digest{},
	}
}

func (m *memory) CreateOrganization(_ context.Context, o tokens.Organization) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.orgs[o.ID]; taken {
		return tokens.ErrExists
	}
	m.orgs[o.ID] = o
	return nil
}

func (m *memory) Organization(_ context.Context, org tokens.OrgID) (tokens.Organization, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, found := m.orgs[org]
	if !found {
		return tokens.Organization{}, tokens.ErrNotFound
	}
	return o, nil
}

func (m *memory) CreateToken(_ context.Context, org tokens.OrgID, t tokens.Token, d tokens.Digest) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, found := m.orgs[org]
	if _, taken := m.tokens[t.ID]; taken {
		return 0, tokens.ErrExists
	}
	if !found {
		return 0, tokens.ErrNotFound
	}
	m.revision++
	t.Organization, t.Revision = o, m.revision
	m.tokens[t.ID], m.digests[t.ID] = t, d
	return t.Revision, nil
}

func (m *memory) Token(_ context.Context, org tokens.OrgID, id tokens.TokenID) (tokens.Token, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, found := m.tokens[id]
	if !found || t.Organization.ID != org {
		return tokens.Token{}, tokens.ErrNotFound
	}
	return t, nil
}

func (m *memory) Tokens(_ context.Context, org tokens.OrgID) ([]tokens.Token, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []tokens.Token
	for _, t := range m.tokens {
		if t.Organization.ID == org {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b tokens.Token) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return all, nil
}

func (m *memory) RevokeToken(_ context.Context, org tokens.OrgID, id tokens.TokenID, at time.Time, reason string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, found := m.tokens[id]
	if !found || t.Organization.ID != org {
		return tokens.ErrNotFound
	}
	if t.RevokedAt.IsZero() {
		m.revision++
		t.RevokedAt, t.RevokedReason, t.Revision = at, reason, m.revision
		m.tokens[id] = t
	}
	return nil
}

func (m *memory) FindToken(_ context.Context, id tokens.TokenID) (tokens.Token, tokens.Digest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down != nil {
		return tokens.Token{}, tokens.Digest{}, m.down
	}
	t, found := m.tokens[id]
	if !found {
		return tokens.Token{}, tokens.Digest{}, tokens.ErrNotFound
	}
	return t, m.digests[id], nil
}

func (m *memory) Reseal(_ context.Context, id tokens.TokenID, old, sealed tokens.Digest) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down != nil {
		return m.down
	}
	if m.digests[id] == old {
		m.digests[id] = sealed
	}
	return nil
}

func TestMemory(t *testing.T) {
	t.Parallel()
	repotest.Run(t, func(*testing.T) tokens.Repository { return newMemory() })
}
