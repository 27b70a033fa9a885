package chaos

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quayside/quayside/deploy/devstack"
)

// rig is the product with everything between its programs in our hands.
type rig struct {
	stack   *devstack.Stack
	network *network
	client  *client
	control *client      // asks a gateway of which nothing is broken
	inner   *http.Client // for health and metrics
	cast    *cast
	pipe    *logPipe // while a program's log is one

	created atomic.Int64 // references given away

	mu   sync.Mutex
	seen []request
}

// build starts the product over dir and makes the tokens.
func build(ctx context.Context, root, dir string, log io.Writer) (r *rig, err error) {
	r = &rig{inner: &http.Client{Timeout: 2 * time.Second}}
	r.network = newNetwork(r.saw)
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	r.stack, err = devstack.Start(ctx, devstack.Options{
		Root: root, Dir: dir, Log: log, SecondShipments: true, Between: r.network.between,
	})
	if err != nil {
		r.stack = nil // nothing of it is left
		return r, err
	}
	control, err := r.stack.StartControl(ctx)
	if err != nil {
		return r, err
	}
	r.client, r.control = newClient(r.stack.URL), newClient("http://"+control.Address())
	if r.cast, err = assemble(ctx, r.stack); err != nil {
		return r, err
	}
	return r, r.cast.findShipment(ctx, r)
}

func (r *rig) saw(one request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, one)
}

// seenSince takes what passed between the programs since a moment, and
// forgets the rest.
func (r *rig) seenSince(begin time.Time) []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := keep(r.seen, func(one request) bool { return one.at.After(begin) })
	r.seen = nil
	return seen
}

// close ends everything. What the rig leaves is its logs.
func (r *rig) close() error {
	var err error
	if r.stack != nil {
		err = r.stack.Close()
	}
	r.network.close()
	return err
}

// clean removes a rig's directory, except for its logs, which take the place
// of those of the last run.
func clean(dir, logs string) error {
	if err := os.RemoveAll(logs); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(dir, "log"), logs); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return devstack.Clean(dir)
}
