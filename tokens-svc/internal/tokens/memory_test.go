package tokens_test

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// memory is the part of a Repository that the service's tests need.
type memory struct {
	tokens.Repository
	mu       sync.Mutex
	down     error // what every look-up fails with, if anything
	orgs     map[tokens.OrgID]tokens.Organization
	tokens   map[tokens.TokenID]tokens.Token
	digests  map[tokens.TokenID]tokens.Digest
	events   map[tokens.OrgID][]audit.Event
	usage    []tokens.Use // that were added last
	changes  []tokens.Change
	revision int64
	epoch    string
	role     tokens.Role // of every person
	trusting bool        // principals are taken as tests make them
}

func newMemory() *memory {
	return &memory{
		orgs:     map[tokens.OrgID]tokens.Organization{},
		tokens:   map[tokens.TokenID]tokens.Token{},
		digests:  map[tokens.TokenID]tokens.Digest{},
		events:   map[tokens.OrgID][]audit.Event{},
		trusting: true,
	}
}

func (m *memory) CreateOrganization(_ context.Context, o tokens.Organization, e audit.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.orgs[o.ID]; taken {
		return tokens.ErrExists
	}
	m.orgs[o.ID] = o
	m.record(o.ID, e)
	return nil
}

func (m *memory) AuditEvents(
	_ context.Context, org tokens.OrgID, _ tokens.AuditQuery, p tokens.Page,
) (tokens.AuditPage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, found := m.orgs[org]; !found {
		return tokens.AuditPage{}, tokens.ErrNotFound
	}
	log := slices.Clone(m.events[org])
	slices.Reverse(log)
	shown := log[min(p.Offset(), len(log)):min(p.Offset()+p.Size, len(log))]
	return tokens.AuditPage{Events: shown, Total: len(log)}, nil
}

func (m *memory) Change(
	_ context.Context, org tokens.OrgID, steps ...func(tokens.Tx) error,
) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, found := m.orgs[org]; !found {
		return tokens.ErrNotFound
	}
	if m.trusting {
		steps = steps[1:] // the first one refreshes the principal
	}
	for _, step := range steps {
		if err := step(memoryTx{memory: m, org: org}); err != nil {
			return err
		}
	}
	return nil
}

// memoryTx is the part of a transaction that the service's tests need. It cannot be rolled back.
type memoryTx struct {
	tokens.Tx
	memory *memory
	org    tokens.OrgID
}

func (tx memoryTx) Organization() tokens.Organization { return tx.memory.orgs[tx.org] }

func (tx memoryTx) Token(_ context.Context, id tokens.TokenID) (tokens.Token, error) {
	return tx.memory.token(tx.org, id)
}

func (tx memoryTx) Active(_ context.Context, at time.Time) (n int, err error) {
	for _, t := range tx.memory.tokens {
		if t.Status(at) == tokens.StatusActive {
			n++
		}
	}
	return n, nil
}

func (tx memoryTx) Holders(context.Context, tokens.Token, audit.Actor) ([]string, error) {
	return nil, nil
}

func (tx memoryTx) Role(context.Context, string) (tokens.Role, error) { return tx.memory.role, nil }

func (tx memoryTx) CheckKey(context.Context, *tokens.Key) error { return nil }

func (tx memoryTx) StoreKey(context.Context, *tokens.Key, tokens.TokenID) error { return nil }

func (tx memoryTx) Record(_ context.Context, entries ...audit.Entry) error {
	for _, e := range entries {
		tx.memory.record(tx.org, e)
	}
	return nil
}

func (tx memoryTx) Insert(_ context.Context, t tokens.Token, d tokens.Digest) (int64, error) {
	tx.memory.digests[t.ID] = d
	return tx.memory.store(t, tokens.Created), nil
}

func (tx memoryTx) Update(_ context.Context, t tokens.Token, kind tokens.ChangeKind) (int64, error) {
	return tx.memory.store(t, kind), nil
}

func (tx memoryTx) Revoke(_ context.Context, ids []tokens.TokenID, at time.Time, reason string) error {
	for _, id := range ids {
		t := tx.memory.tokens[id]
		t.RevokedAt, t.RevokedReason = at, reason
		tx.memory.store(t, tokens.Revoked)
	}
	return nil
}

func (m *memory) Token(_ context.Context, org tokens.OrgID, id tokens.TokenID) (tokens.Token, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.token(org, id)
}

func (m *memory) token(org tokens.OrgID, id tokens.TokenID) (tokens.Token, error) {
	t, found := m.tokens[id]
	if !found || t.Organization.ID != org {
		return tokens.Token{}, tokens.ErrNotFound
	}
	return t, nil
}

func (m *memory) AddUsage(_ context.Context, uses []tokens.Use) error {
	m.usage = uses
	return nil
}

func (m *memory) Changes(_ context.Context, after int64, n int) ([]tokens.Change, int64, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down != nil {
		return nil, 0, "", m.down
	}
	from := min(max(after, 0), m.revision)
	upTo := min(from+int64(n), m.revision)
	return slices.Clone(m.changes[from:upTo]), upTo, m.epoch, nil
}

// record appends to the organization's audit log.
func (m *memory) record(org tokens.OrgID, e audit.Entry) {
	head := audit.Head{Log: string(org)}
	if log := m.events[org]; len(log) > 0 {
		head = log[len(log)-1].Head()
	}
	m.events[org] = append(m.events[org], head.Append(e))
}

// store keeps t under the next revision, which it returns.
func (m *memory) store(t tokens.Token, kind tokens.ChangeKind) int64 {
	m.revision++
	m.changes = append(m.changes, tokens.Change{Revision: m.revision, Token: t.ID, Kind: kind})
	t.Revision = m.revision
	m.tokens[t.ID] = t
	return t.Revision
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

// The organizations of the tests, and when their tokens are created.
const (
	someOrg  tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfg"
	otherOrg tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfh"
)

var atNoon = time.Date(2026, time.November, 20, 12, 0, 0, 123e6, time.UTC)
