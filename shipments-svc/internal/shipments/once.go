package shipments

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// KeyLife is how long a Key is remembered.
const KeyLife = 24 * time.Hour

// Key is an idempotency key: requests with the same key are retries of one
// request.
type Key struct {
	Operation   string // what is done to what; the same Text for another is another Key
	Text        string // of the client's choice
	Fingerprint [32]byte
	Lease       Lease // zero: what is done is one transaction, which needs none
}

// LeaseOfKey is how long a key stays in progress after the program died that had
// it. It is longer than any request takes.
const LeaseOfKey = 15 * time.Second

// toFree is how long ending a lease may take after a request.
const toFree = time.Second

// ErrKeyReused says that the key was given to a request with another
// fingerprint.
var ErrKeyReused = errors.New("the key belongs to another request")

// ErrKeyInProgress says that a request with the key is in progress.
var ErrKeyInProgress = errors.New("a request with the key is being done")

// Once runs do once for each key of an organization, in one transaction with the
// record of the key. While the record is kept, retries get the first answer, and
// replayed is true. An error of do rolls back its effect and is not recorded.
//
// do must use the context that it is given for all that it does.
func (s *Service) Once(ctx context.Context, org OrgID, k Key, do func(context.Context) ([]byte, error)) (answer []byte, replayed bool, err error) {
	answer, replayed, err = s.repo.Once(ctx, org, k, s.now(), do)
	if err != nil {
		return nil, false, fmt.Errorf("do once: %w", err)
	}
	return answer, replayed, nil
}
