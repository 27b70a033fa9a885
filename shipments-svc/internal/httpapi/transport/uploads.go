package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Bounds of uploads at once.
var (
	// announced is how many bytes the bodies have of one organization, as their headers say.
	announced = limit.Config{Total: math.MaxInt64, Each: 42 << 20, Queue: 50, Wait: 10 * time.Second}
	// arrived is how many bytes of bodies of more than firstStep are in memory: what has come in, until the document is
	// stored.
	arrived = limit.Config{Total: 112 << 20, Each: 42 << 20, Queue: 50, Wait: 3 * time.Second}
	// processing is how many files are read in dry runs and for pages, with 256 MiB each, and JSON bodies with more than
	// fewValues values decoded. long is how many of these have more than smallFile bytes: a place is left for others. own
	// is how many are of an organization, which waits for that before it has a place of all. A request waits and is read
	// within the time that the gateway waits for an answer (answer_within in its routes).
	own        = limit.Config{Total: math.MaxInt64, Each: 1, Queue: 8, Wait: 10 * time.Second}
	long       = limit.Config{Total: 1, Each: 1, Queue: 1, Wait: 10 * time.Second}
	processing = limit.Config{Total: 2, Each: 1, Queue: 1, Wait: 5 * time.Second}
)

const (
	smallFile  = 64 << 10
	fewValues  = 10_000
	manyValues = 200_000 // more than as many pallets as there may be have
)

// errManyValues means that a JSON body has more values than are decoded.
var errManyValues = fmt.Errorf("the body may have at most %d values", manyValues)

// errSlow means that an upload gave way to others.
var errSlow = errors.New("the upload gave way to those of other organizations, and the document was not received")

// Uploads admits bodies with documents, of the API and of pages together.
type Uploads struct {
	announced, arrived, own, long, processing *limit.Shares[shipments.Organization]
}

// NewUploads returns Uploads. A process has one.
func NewUploads() *Uploads {
	return &Uploads{
		limit.New[shipments.Organization](announced), limit.New[shipments.Organization](arrived),
		limit.New[shipments.Organization](own), limit.New[shipments.Organization](long),
		limit.New[shipments.Organization](processing),
	}
}

// Process admits the reading of a file of this size.
func (u *Uploads) Process(ctx context.Context, key shipments.Organization, size int64) (release func(), err error) {
	var held []func()
	release = func() {
		for _, place := range held {
			place()
		}
	}
	for _, places := range []*limit.Shares[shipments.Organization]{u.own, u.long, u.processing} {
		if places == u.long && size <= smallFile {
			continue
		}
		place, err := places.Acquire(ctx, key, 1)
		if err != nil {
			release()
			return func() {}, err
		}
		held = append(held, place)
	}
	return release, nil
}

// Receive reads a document: as a form, or as JSON that has the file in base64 or the pallets themselves. The form of a
// page may have several files, of the types that their names suggest if it names none. An
// organization waits for its own uploads before it sends; of all together what has arrived counts, and one that comes
// in slowly gives way. Release ends the use of memory for it.
func (u *Uploads) Receive(
	w http.ResponseWriter, r *http.Request, org shipments.OrgID, order shipments.Order, ofPage bool,
) (a Received, err error) {
	// A large request has the time that it may take. Writers without deadlines are accepted.
	control, until := http.NewResponseController(w), time.Now().Add(uploadTimeout)
	_, _ = control.SetReadDeadline(until), control.SetWriteDeadline(until.Add(answerTimeout))
	size, key := min(r.ContentLength, maxDocument), shipments.OrganizationOf(org)
	if size < 0 { // it is not known
		size = maxDocument
	}
	releaseAnnounced, err := u.announced.Acquire(r.Context(), key, size)
	if err != nil {
		return a, err
	}
	body := &arriving{ReadCloser: http.MaxBytesReader(w, r.Body, maxDocument), left: size, step: firstStep}
	if size <= firstStep {
		body.left = 0 // it takes no place
	}
	body.acquire = func(n int64) (func(), error) { //nolint:contextcheck // it is that of the request
		return u.arrived.AcquireRevocable(r.Context(), key, n, func() {
			if body.state.CompareAndSwap(0, gaveWay) {
				_ = control.SetReadDeadline(time.Now())
			}
		})
	}
	r.Body = body
	processed := func() {}
	process := func(size int64) (err error) { //nolint:contextcheck // likewise
		processed()
		processed, err = u.Process(r.Context(), key, size)
		return err
	}
	a.Release = sync.OnceFunc(func() {
		processed()
		body.release()
		releaseAnnounced()
	})
	defer func() {
		if err != nil {
			a.Release()
		}
	}()
	media, err := jsonbody.MediaType(r.Header, jsonMedia, formMedia)
	if err != nil {
		return a, err
	}
	if media == formMedia {
		var all []shipments.Attachment
		if all, err = decodeForm(r, order, ofPage); len(all) > 0 {
			a.Attachment, a.More = all[0], all[1:]
		}
	} else {
		a.Attachment, err = decodeDocument(r, order, func() error { return process(size) })
	}
	body.state.CompareAndSwap(0, isReceived)
	switch {
	case body.state.Load() == gaveWay:
		err = errSlow
		w.Header().Set("Connection", "close") // its deadline ends what comes on the connection, also further requests
	case err != nil && body.err != nil:
		err = body.err
	}
	if err == nil && a.DryRun && a.File != nil {
		err = process(a.File.Size)
	}
	return a, err
}

// firstStep is how much of a body is admitted at first.
const firstStep = 64 << 10

// arriving is a body of which what comes in is acquired: never much more than has arrived.
type arriving struct {
	io.ReadCloser
	acquire  func(n int64) (release func(), err error)
	left     int64 // that may be acquired; what was announced
	free     int64 // of what was acquired
	step     int64
	releases []func()
	err      error        // of acquire
	state    atomic.Int32 // 0, and once one of those below
}

const (
	isReceived = 1
	gaveWay    = 2
)

// Read implements io.Reader.
func (b *arriving) Read(p []byte) (n int, err error) {
	if b.free == 0 && b.left > 0 && b.err == nil {
		n := min(b.step, b.left)
		var release func()
		if release, b.err = b.acquire(n); b.err == nil {
			b.releases, b.free, b.left, b.step = append(b.releases, release), n, b.left-n, 2*b.step
		}
	}
	if b.err != nil {
		return 0, b.err
	}
	if b.free > 0 { // otherwise it ends here
		p = p[:min(int64(len(p)), b.free)]
	}
	n, err = b.ReadCloser.Read(p)
	b.free -= min(int64(n), b.free)
	if err != nil { // from the end of a body on, an expired deadline is a client that is gone
		b.state.CompareAndSwap(0, isReceived)
	}
	return n, err
}

func (b *arriving) release() {
	for _, release := range b.releases {
		release()
	}
}
