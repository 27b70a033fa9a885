package shipments

import (
	"context"
	"errors"
	"time"
)

// KeyLife is the retention of a Key.
const KeyLife = 24 * time.Hour

// Key is an idempotency key: requests with the same key are retries of one
// request.
type Key struct {
	Operation   string // method and path; the same Text for another is another Key
	Text        string // of the client's choice
	Fingerprint [32]byte
}

// ErrKeyReused means that the key was given to a request with another
// fingerprint.
var ErrKeyReused = errors.New("the key belongs to another request")

// ErrKeyInProgress means that a request with the key is in progress.
var ErrKeyInProgress = errors.New("a request with the key is in progress")

// Commit is the second phase of a request that read or stored files in its first: database
// work only, so that it may be part of a transaction.
type Commit[Res any] func(context.Context) (Res, error)

// Once runs do once for each key of an organization, in one transaction with the
// record of the key. While the record is kept, retries get the first answer, and
// replayed is true. An error of do rolls back its effect and is not recorded.
//
// do must use the context that it is given for all that it does.
func (s *Service) Once(
	ctx context.Context, org OrgID, k Key, do func(context.Context) ([]byte, error),
) (answer []byte, replayed bool, err error) {
	return s.repo.Once(ctx, org, k, s.now(), do)
}
