package transport

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// maxReceived is how many bytes the bodies of documents that are received and
	// processed at once may have, which are in memory; maxReceivedOf is how many of
	// them may be one organization's.
	maxReceived   = 192 << 20
	maxReceivedOf = 48 << 20
	// maxReading is how many dry runs and large JSON bodies are read at once, each
	// with up to 256 MiB; maxReadingOf is how many of one organization.
	maxReading   = 2
	maxReadingOf = 1
	// smallText is how many bytes of a document's JSON, without the content of a
	// file, are read at once by any number of requests.
	smallText = 256 << 10
	// admissionTimeout is how long a request waits for either. Both and the method's
	// timeout are less than the gateway waits for an answer (answer_within in its
	// routes).
	admissionTimeout = 3 * time.Second
)

// errBusy means that a request was not admitted in time.
var errBusy = errors.New("too many documents are being processed")

// admission bounds what requests use at once, in all and of one organization, so
// that no organization has all of it.
type admission struct {
	all *semaphore.Weighted
	max int64 // of one organization

	mu     sync.Mutex
	shares map[shipments.OrgID]*share // of those that have requests
}

// share is the part of an admission that one organization may use.
type share struct {
	*semaphore.Weighted

	requests int
}

func newAdmission(total, perOrg int64) *admission {
	return &admission{all: semaphore.NewWeighted(total), max: perOrg, shares: map[shipments.OrgID]*share{}}
}

// acquire waits for n of what is bounded. Without it in time the error is errBusy.
func (a *admission) acquire(ctx context.Context, org shipments.OrgID, n int64) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, admissionTimeout)
	defer cancel()
	mine := a.join(org)
	if mine.Acquire(ctx, n) != nil {
		a.leave(org)
		return nil, errBusy
	}
	leave := func() {
		mine.Release(n)
		a.leave(org)
	}
	if a.all.Acquire(ctx, n) != nil {
		leave()
		return nil, errBusy
	}
	return func() {
		a.all.Release(n)
		leave()
	}, nil
}

func (a *admission) join(org shipments.OrgID) *share {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.shares[org] == nil {
		a.shares[org] = &share{Weighted: semaphore.NewWeighted(a.max)}
	}
	a.shares[org].requests++
	return a.shares[org]
}

func (a *admission) leave(org shipments.OrgID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.shares[org].requests--; a.shares[org].requests == 0 {
		delete(a.shares, org)
	}
}

// admitted is what a request has acquired. It is released when its handler has
// returned: a client that closes the connection ends neither parsing nor reading.
type admitted struct{ releases []func() }

type admittedKey struct{}

// withAdmissions lets the handler's requests enter admissions.
func withAdmissions(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var has admitted
		defer func() {
			for _, release := range has.releases {
				release()
			}
		}()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), admittedKey{}, &has)))
	})
}

// enter acquires n for a request, until its handler has returned.
func (a *admission) enter(r *http.Request, n int64) error {
	release, err := a.acquire(r.Context(), callerOf(r).org, n)
	if err == nil {
		has := r.Context().Value(admittedKey{}).(*admitted)
		has.releases = append(has.releases, release)
	}
	return err
}
