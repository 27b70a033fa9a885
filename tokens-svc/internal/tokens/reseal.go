package tokens

import (
	"context"
	"fmt"
)

// Stale is a token whose digest is under an older pepper, with its replacement. It
// holds no secret. Tokens move to a higher version only: while a rolling restart
// changes the primary pepper, replicas with the old one do not move them back.
type Stale struct {
	ID          TokenID
	Old, Sealed Digest
}

// resealQueue bounds the queue of stale tokens. Others are left for
// the token's next use.
const resealQueue = 256

// Resealer moves tokens to the primary pepper as they are used, behind the
// requests: these neither write nor wait for a write.
type Resealer struct {
	repo  Repository
	queue chan Stale
}

// NewResealer returns a resealer that does nothing until Run.
func NewResealer(repo Repository) *Resealer {
	return &Resealer{repo: repo, queue: make(chan Stale, resealQueue)}
}

// Offer takes note of a stale token. It never blocks.
func (r *Resealer) Offer(s Stale) {
	select {
	case r.queue <- s:
	default:
	}
}

// Run works until ctx ends. It passes each failure to failed and goes on; the
// token's next use offers it again.
func (r *Resealer) Run(ctx context.Context, failed func(error)) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-r.queue:
			if err := r.repo.Reseal(ctx, s.ID, s.Old, s.Sealed); err != nil && ctx.Err() == nil {
				failed(fmt.Errorf("move token %s to the primary pepper: %w", s.ID, err))
			}
		}
	}
}
