package transport

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/precondition"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// reply is a response that is not a problem.
type reply struct {
	status  int
	header  http.Header
	body    any                   // shown as JSON; nil: no body
	file    *shipments.StoredFile // sent instead of a body
	release func()                // called when it was sent; nil: nothing to do
}

// shown returns the encoder of a response that shows a result as the member name.
func shown[Res, View any](status int, name string, view func(Res) View) func(*http.Request, Res) reply {
	return func(_ *http.Request, res Res) reply {
		return reply{status: status, body: map[string]View{name: view(res)}}
	}
}

// tagOfView is the entity-tag of something that is shown like this.
func tagOfView(view any) string {
	shown, _ := encodeJSON(view) // it was made of JSON
	sum := sha256.Sum256(shown)
	return fmt.Sprintf(`"%x"`, sum[:8])
}

// paged returns the encoder of a response that shows a page, with links to others.
func paged[Page any](view func(Page) (shipments.Paging, any)) func(*http.Request, Page) reply {
	return func(r *http.Request, page Page) reply {
		p, body := view(page)
		links := query.PageLinks(r.URL, p.Page, p.PerPage, p.Total)
		return reply{status: http.StatusOK, header: http.Header{"Link": {links}}, body: body}
	}
}

// listed is shown of a list.
func listed[Res, View any](name string, view func(Res) View) func(*http.Request, []Res) reply {
	return shown(http.StatusOK, name, func(all []Res) []View { return each(all, view) })
}

// write sends the reply, or 304 without a body if the client has it. Nothing is
// sent when the body cannot be encoded, the file cannot be opened, or the client
// expects another entity-tag.
func (re reply) write(w http.ResponseWriter, r *http.Request) error {
	if re.release != nil {
		defer re.release()
	}
	if tag := re.header.Get("Etag"); tag != "" && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		switch precondition.Failed(r, tag) {
		case http.StatusNotModified:
			re.status, re.body, re.file = http.StatusNotModified, nil, nil
			re.header.Del("Content-Type")
		case http.StatusPreconditionFailed:
			return shipments.ErrVersion
		}
	}
	if re.file != nil {
		return re.writeFile(w, r)
	}
	var body []byte
	if re.body != nil {
		var err error
		if body, err = encodeJSON(re.body); err != nil {
			return err
		}
		re.body = nil //nolint:staticcheck // SA4005: what was decoded is not held while the client reads
		w.Header().Set("Content-Type", jsonMedia)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	maps.Copy(w.Header(), re.header)
	w.WriteHeader(re.status)
	_, _ = Paced(w).Write(body) // the client is gone
	return nil
}

// How fast a body must be read that is in memory: as fast as the gateway lets clients send one.
const (
	readGrace = 20 * time.Second
	readRate  = 64 << 10 // bytes a second
)

// Paced returns a writer that gives up on a client which reads too slowly.
func Paced(w http.ResponseWriter) http.ResponseWriter {
	return &paced{w, http.NewResponseController(w), time.Now().Add(readGrace)}
}

type paced struct {
	http.ResponseWriter
	control *http.ResponseController
	until   time.Time
}

// Write implements io.Writer.
func (p *paced) Write(body []byte) (n int, err error) {
	for part := range slices.Chunk(body, readRate) {
		_ = p.control.SetWriteDeadline(p.until) // writers without deadlines are accepted
		p.until = p.until.Add(time.Second)
		var written int
		written, err = p.ResponseWriter.Write(part)
		if n += written; err != nil {
			break
		}
	}
	return n, err
}

// Unwrap implements what http.ResponseController looks for.
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// canonicalPath is the path of r as the product writes it: nothing is escaped
// that need not be, however the client wrote it.
func canonicalPath(r *http.Request) string { return (&url.URL{Path: r.URL.Path}).EscapedPath() }

// encodeJSON returns a value as JSON and a line break, without the escapes
// that only HTML needs.
func encodeJSON(value any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return buf.Bytes(), err
}
