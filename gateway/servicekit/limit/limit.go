// Package limit shares what is used at once, such as memory, slots and connections, among keys, such as organizations.
//
// Guarantees: no key uses more than Each, so that Total less Each is left for the others; while there is a queue, the
// key that uses least is served first, keys that use the same in turn, and a key's own acquisitions in their order; an
// acquisition that is refused holds nothing; what is held while a peer is waited for gives way to keys that use less.
package limit

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Both mean that nothing was acquired.
var (
	// ErrShare means that the key itself uses all that one key may use: 429 where it is a client's.
	ErrShare = errors.New("the share of the organization is in use")
	// ErrTotal means that all keys together use all there is: 503.
	ErrTotal = errors.New("all of the capacity is in use")
)

// Config says what may be used at once, in a unit of the caller's choice.
type Config struct {
	Total int64         // by all keys together
	Each  int64         // by one key
	Queue int           // how many acquisitions of one key may wait
	Wait  time.Duration // for how long
}

// Shares is something that keys share. It is safe for concurrent use.
type Shares[Key comparable] struct {
	Config

	mu      sync.Mutex
	used    int64
	usedBy  map[Key]int64          // without keys that use nothing
	queues  map[Key]*queue         // without empty ones
	slow    map[Key][]*acquisition // what is held revocably, oldest first
	leaving int64                  // of used: what was revoked and not released yet
	turn    uint64                 // of the newest queue
}

// queue is what waits for one key, oldest first. The queue with the lowest turn is the next of those whose keys use the
// same.
type queue struct {
	turn    uint64
	waiting []*acquisition
}

type acquisition struct {
	n        int64
	granted  chan struct{} // closed once n is in use; nil: it did not wait
	revoke   func()        // nil: it is not revocable
	revoked  bool
	released bool
}

// New returns Shares of which nothing is in use.
func New[Key comparable](config Config) *Shares[Key] {
	return &Shares[Key]{Config: config, usedBy: map[Key]int64{}, queues: map[Key]*queue{}, slow: map[Key][]*acquisition{}}
}

// Acquire acquires n for a key until release is called, of which only the first call has an effect. More than Each is
// acquired as Each. It returns ErrShare or ErrTotal, also at the deadline of ctx, or, if ctx is cancelled first, the
// error of ctx, and then a release without effect. Since it may wait, a caller holds nothing else that is shared, such
// as a database connection.
func (s *Shares[Key]) Acquire(ctx context.Context, key Key, n int64) (release func(), err error) {
	return s.AcquireRevocable(ctx, key, n, nil)
}

// AcquireRevocable is Acquire of what is held while a peer is waited for, such as a client that sends or reads. When a
// key waits because all keys together use all there is, revoke is called, in a goroutine, for what the key that uses
// most has held longest, if that uses more than the waiting one would. The holder then ends its use and releases it.
func (s *Shares[Key]) AcquireRevocable(
	ctx context.Context, key Key, n int64, revoke func(),
) (release func(), err error) {
	a := &acquisition{n: min(n, s.Each), revoke: revoke}
	if !s.take(key, a) {
		a.granted = make(chan struct{})
		if err = s.enqueue(key, a); err == nil {
			err = s.wait(ctx, a)
		}
		if err != nil {
			err = s.withdraw(key, a, err)
		}
		if err != nil {
			return func() {}, err
		}
	}
	return func() { s.release(key, a) }, nil
}

// take grants an acquisition that fits in while there is no queue, which is the usual case, and reports whether it did.
func (s *Shares[Key]) take(key Key, a *acquisition) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	fits := len(s.queues) == 0 && s.used+a.n <= s.Total && s.usedBy[key]+a.n <= s.Each
	if fits {
		s.hold(key, a)
	}
	return fits
}

// enqueue puts an acquisition into the queue of its key and grants what can be granted. It returns ErrTotal if the
// queue is too long then.
func (s *Shares[Key]) enqueue(key Key, a *acquisition) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.queues[key]
	if q == nil {
		s.turn++
		q = &queue{turn: s.turn}
		s.queues[key] = q
	}
	q.waiting = append(q.waiting, a)
	if s.grant(); len(q.waiting) > s.Queue {
		return ErrTotal
	}
	if slices.Contains(q.waiting, a) && s.usedBy[key]+a.n <= s.Each {
		s.makeWay(key, a.n)
	}
	return nil
}

// makeWay revokes what is held by the keys that use most, until n is free for a key once that is released.
func (s *Shares[Key]) makeWay(key Key, n int64) {
	for s.used-s.leaving+n > s.Total {
		var most Key
		found := false
		for other, held := range s.slow {
			if len(held) > 0 && s.usedBy[other] > s.usedBy[key]+n && (!found || s.usedBy[other] > s.usedBy[most]) {
				most, found = other, true
			}
		}
		if !found {
			return
		}
		a := s.slow[most][0]
		s.forget(most, a)
		a.revoked = true
		s.leaving += a.n
		go a.revoke()
	}
}

// forget removes what is revoked or released from what may be revoked.
func (s *Shares[Key]) forget(key Key, a *acquisition) {
	held := slices.DeleteFunc(s.slow[key], func(other *acquisition) bool { return other == a })
	if s.slow[key] = held; len(held) == 0 {
		delete(s.slow, key)
	}
}

func (s *Shares[Key]) wait(ctx context.Context, a *acquisition) error {
	timer := time.NewTimer(s.Wait)
	defer timer.Stop()
	select {
	case <-a.granted:
		return nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return ErrTotal
		}
		return ctx.Err()
	case <-timer.C:
		return ErrTotal
	}
}

// withdraw takes an acquisition out of its queue. It returns why it was not granted, or nil if it was meanwhile.
func (s *Shares[Key]) withdraw(key Key, a *acquisition, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, i := s.queues[key], -1
	if q != nil {
		i = slices.Index(q.waiting, a)
	}
	if i < 0 {
		return nil
	}
	if errors.Is(err, ErrTotal) && s.usedBy[key]+a.n > s.Each {
		err = ErrShare
	}
	s.remove(key, i)
	s.grant() // what waited behind it
	return err
}

func (s *Shares[Key]) release(key Key, a *acquisition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.released {
		return
	}
	a.released = true
	if s.forget(key, a); a.revoked {
		s.leaving -= a.n
	}
	s.use(key, -a.n)
	s.grant()
}

// grant grants what is next, until that does not fit in.
func (s *Shares[Key]) grant() {
	for {
		key, q := s.next()
		if q == nil || s.used+q.waiting[0].n > s.Total {
			return
		}
		a := q.waiting[0]
		s.turn++
		q.turn = s.turn
		s.remove(key, 0)
		s.hold(key, a)
		close(a.granted)
	}
}

func (s *Shares[Key]) hold(key Key, a *acquisition) {
	if s.use(key, a.n); a.revoke != nil {
		s.slow[key] = append(s.slow[key], a)
	}
}

// next returns the queue to be served next, or nil if the keys of all queues use all that they may.
func (s *Shares[Key]) next() (next Key, first *queue) {
	for key, q := range s.queues {
		used, least := s.usedBy[key], s.usedBy[next]
		switch {
		case used+q.waiting[0].n > s.Each:
		case first == nil, used < least, used == least && q.turn < first.turn:
			next, first = key, q
		}
	}
	return next, first
}

func (s *Shares[Key]) remove(key Key, i int) {
	q := s.queues[key]
	if q.waiting = slices.Delete(q.waiting, i, i+1); len(q.waiting) == 0 {
		delete(s.queues, key)
	}
}

func (s *Shares[Key]) use(key Key, n int64) {
	s.used += n
	if s.usedBy[key] += n; s.usedBy[key] == 0 {
		delete(s.usedBy, key)
	}
}
