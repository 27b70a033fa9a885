package shipments

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// KeyLife is how long a Key is remembered.
const KeyLife = 24 * time.Hour

// Key is a client's word that all requests which carry it are one and the
// same, sent again because the answer was lost.
type Key struct {
	Operation   string // what is done to what; the same Text for another is another Key
	Text        string // of the client's choice
	Fingerprint [32]byte
}

// ErrKeyReused says that the key was given to a request with another
// fingerprint.
var ErrKeyReused = errors.New("the key belongs to another request")

// ErrKeyInProgress says that a request with the key is being done just now.
var ErrKeyInProgress = errors.New("a request with the key is being done")

// Once does what do does, once for each key of an organization: do's effect
// and the memory of it are one transaction. While the key is remembered
// whoever asks again gets the first answer, and replayed is true. An error of
// do undoes its effect and is not remembered.
//
// do must use the context that it is given for all that it does.
func (s *Service) Once(ctx context.Context, org OrgID, k Key, do func(context.Context) ([]byte, error)) (answer []byte, replayed bool, err error) {
	answer, replayed, err = s.repo.Once(ctx, org, k, s.now(), do)
	if err != nil {
		return nil, false, fmt.Errorf("do once: %w", err)
	}
	return answer, replayed, nil
}
