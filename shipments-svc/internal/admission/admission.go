// Package admission bounds what requests use at once, in all and of one organization,
// so that no organization has all of it.
//
// Guarantees: a request that is not admitted within Timeout is refused with ErrBusy;
// what a request was admitted to it keeps until it has ended, for a client that closes
// the connection ends neither parsing nor reading.
package admission

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/limit"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Timeout is how long a request waits to be admitted. It and the method's timeout are
// less than the gateway waits for an answer (answer_within in its routes).
const Timeout = 3 * time.Second

// ErrBusy means that a request was not admitted in time.
var ErrBusy = errors.New("too many large requests are being processed")

// Admission bounds one thing. It is safe for concurrent use.
type Admission limit.Limit[shipments.OrgID]

// New returns an Admission of so much, of which one organization may have perOrg.
func New(total, perOrg int64) *Admission {
	return (*Admission)(limit.New[shipments.OrgID](total, perOrg))
}

// request is what a request was admitted to.
type request struct {
	to       []*Admission
	releases []func()
}

type requestKey struct{}

// Begin returns the context of a request that enters admissions. end leaves them.
func Begin(ctx context.Context) (_ context.Context, end func()) {
	r := &request{}
	return context.WithValue(ctx, requestKey{}, r), func() {
		for _, release := range r.releases {
			release()
		}
	}
}

// Enter admits the request of a context that Begin returned, or returns ErrBusy. A
// request is admitted once; work that is no request's is not bounded.
func (a *Admission) Enter(ctx context.Context, org shipments.OrgID, n int64) error {
	r, ok := ctx.Value(requestKey{}).(*request)
	if !ok || slices.Contains(r.to, a) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	use := (*limit.Limit[shipments.OrgID])(a)
	if !use.Acquire(ctx, org, n) {
		return ErrBusy
	}
	r.to, r.releases = append(r.to, a), append(r.releases, func() { use.Release(org, n) })
	return nil
}
