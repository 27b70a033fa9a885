package outbox

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// memory is an in-memory Outbox.
type memory struct {
	mu        sync.Mutex
	announced chan struct{}
	waiting   map[shipments.OrgID]int
	old       map[shipments.OrgID]int // events whose time is over
	order     []shipments.OrgID       // whose events were numbered
	calls     int
	err       error
	faulty    map[shipments.OrgID]error // of whose events nothing can be done
	resealed  map[shipments.OrgID]bool
	swept     []error // the calls of Swept
}

func newMemory() *memory {
	return &memory{
		announced: make(chan struct{}, 1), waiting: map[shipments.OrgID]int{}, old: map[shipments.OrgID]int{},
		faulty: map[shipments.OrgID]error{}, resealed: map[shipments.OrgID]bool{},
	}
}

func org(n int) shipments.OrgID { return shipments.OrgID{byte(n >> 8), byte(n), 1} }

func (m *memory) Waiting(_ context.Context, after shipments.OrgID, limit int) ([]shipments.OrgID, error) {
	return m.found(m.waiting, after, limit, func(n int) bool { return n > 0 })
}

func (m *memory) Organizations(_ context.Context, after shipments.OrgID, limit int) ([]shipments.OrgID, error) {
	return m.found(m.old, after, limit, func(int) bool { return true })
}

func (m *memory) found(
	in map[shipments.OrgID]int, after shipments.OrgID, limit int, wanted func(int) bool,
) ([]shipments.OrgID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	compare := func(a, b shipments.OrgID) int { return bytes.Compare(a[:], b[:]) }
	orgs := slices.SortedFunc(maps.Keys(in), compare)
	orgs = slices.DeleteFunc(orgs, func(o shipments.OrgID) bool { return !wanted(in[o]) || compare(o, after) <= 0 })
	return orgs[:min(len(orgs), limit)], m.err
}

func (m *memory) Number(_ context.Context, org shipments.OrgID, limit int) (int, time.Duration, error) {
	m.mu.Lock()
	m.order = append(m.order, org)
	m.mu.Unlock()
	n, err := m.take(m.waiting, org, limit)
	return n, time.Minute, err
}

func (m *memory) Expire(_ context.Context, org shipments.OrgID, _ time.Time, limit int) (int, error) {
	return m.take(m.old, org, limit)
}

func (m *memory) Reseal(_ context.Context, org shipments.OrgID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.resealed[org] = m.faulty[org] == nil
	return m.faulty[org]
}

func (m *memory) take(from map[shipments.OrgID]int, org shipments.OrgID, limit int) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := errors.Join(m.err, m.faulty[org]); err != nil {
		return 0, err
	}
	n := min(from[org], limit)
	from[org] -= n
	return n, nil
}

func (m *memory) set(waiting map[shipments.OrgID]int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(m.waiting, waiting)
	m.err = err
}

func (m *memory) left(in map[shipments.OrgID]int) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range in {
		n += k
	}
	return n
}

// running runs a Relay, to which there may be events, in the synctest bubble of a test. It returns the noted errors
// and the number of numbered events.
func running(t *testing.T, m *memory) (noted *[]error, numbered *int) {
	t.Helper()
	noted, numbered = new([]error), new(int)
	m.announced <- struct{}{}
	r := New(m, Config{
		Announced: m.announced,
		Numbered: func(n int, _ time.Duration) {
			m.mu.Lock()
			defer m.mu.Unlock()
			*numbered += n
		},
		Note: func(err error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			*noted = append(*noted, err)
		},
		Swept: func(err error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.swept = append(m.swept, err)
		},
	})
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { r.Run(ctx); close(over) }()
	t.Cleanup(func() { stop(); <-over })
	return noted, numbered
}

func TestAnnouncedEventsAreNumberedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.waiting[org(1)], m.waiting[org(2)] = 2*batch+1, 1
		_, numbered := running(t, m)
		synctest.Wait()
		if left := m.left(m.waiting); left != 0 {
			t.Errorf("%d are left", left)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if *numbered != 2*batch+2 {
			t.Errorf("%d were numbered", *numbered)
		}
		if m.order[1] != org(2) {
			t.Error("the second organization had to wait for all of the first")
		}
	})
}

func TestNotificationAndPoll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		running(t, m)
		synctest.Wait()
		m.set(map[shipments.OrgID]int{org(1): 1}, nil)
		m.announced <- struct{}{}
		synctest.Wait()
		if m.left(m.waiting) != 0 {
			t.Error("the announcement notified no receiver")
		}
		m.set(map[shipments.OrgID]int{org(2): 1}, nil)
		time.Sleep(Poll) // of the bubble's clock
		synctest.Wait()
		if m.left(m.waiting) != 0 {
			t.Error("what another program announced was not found within a poll")
		}
	})
}

func TestAllOrganizationsAreNumbered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		for i := range 3*neighbors + 7 {
			m.waiting[org(i)] = 1
		}
		running(t, m)
		synctest.Wait()
		if n := m.left(m.waiting); n != 0 {
			t.Errorf("%d were not", n)
		}
	})
}

// TestFailuresAreRetriedAtPolls only, for any number of notifications.
func TestFailuresAreRetriedAtPolls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		away := errors.New("postgres is away")
		m.set(map[shipments.OrgID]int{org(1): 1}, away)
		noted, _ := running(t, m)
		for range 10 {
			synctest.Wait()
			select {
			case m.announced <- struct{}{}:
			default:
			}
		}
		m.mu.Lock()
		if m.calls != 1 {
			t.Errorf("%d attempts in an instant", m.calls)
		}
		m.mu.Unlock()
		time.Sleep(5*Poll + Poll/2) // of the bubble's clock
		m.set(nil, nil)
		time.Sleep(Poll)
		synctest.Wait()
		if m.left(m.waiting) != 0 {
			t.Error("it was not numbered when the fault was over")
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if all := *noted; len(all) < 3 || !errors.Is(all[0], away) || all[len(all)-1] != nil {
			t.Errorf("it noted %v", all)
		}
	})
}

// TestFailingOrganizationIsIsolated: it is retried at polls only, and noted until it
// succeeds. The others are numbered nevertheless.
func TestFailingOrganizationIsIsolated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.faulty[org(1)] = errors.New("a retired key")
		for i := range 5 {
			m.waiting[org(i)] = 1
		}
		noted, _ := running(t, m)
		for range 10 {
			synctest.Wait()
			if n := m.left(m.waiting); n != 1 {
				t.Errorf("%d are left, want that of the faulty one", n)
			}
			m.set(map[shipments.OrgID]int{org(2): 1}, nil)
			time.Sleep(Poll) // of the bubble's clock
		}
		synctest.Wait()
		m.mu.Lock()
		tries := 0
		for _, tried := range m.order {
			if tried == org(1) {
				tries++
			}
		}
		if tries != 11 {
			t.Errorf("%d attempts in ten polls", tries)
		}
		delete(m.faulty, org(1))
		m.mu.Unlock()
		time.Sleep(Poll) // of the bubble's clock
		synctest.Wait()
		if m.left(m.waiting) != 0 {
			t.Error("it was not numbered when the fault was over")
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if all := *noted; all[0] == nil || all[len(all)-1] != nil {
			t.Errorf("it noted %v", all)
		}
	})
}

// TestSweepContinuesAfterAFailure, and does not delay the numbering.
func TestSweepContinuesAfterAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		for i := range 4 {
			m.old[org(i)] = 2 * batch
		}
		m.faulty[org(1)] = errors.New("a retired key")
		running(t, m)
		time.Sleep(SweepEvery + time.Minute) // of the bubble's clock
		synctest.Wait()
		if n := m.left(m.old); n != 2*batch {
			t.Errorf("%d are left, want those of the faulty one", n)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if want := map[shipments.OrgID]bool{org(0): true, org(1): false, org(2): true, org(3): true}; !maps.Equal(
			m.resealed, want,
		) {
			t.Errorf("resealed: %v", m.resealed)
		}
		if len(m.swept) != 1 || m.swept[0] == nil {
			t.Errorf("reported %v", m.swept)
		}
	})
}
