package transport

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
)

// reply is an answer that is not a problem.
type reply struct {
	status int
	header http.Header
	body   any    // shown as JSON; nil: no body
	result string // of an introspection, in metrics
}

// Result implements endpoints.Result.
func (re reply) Result() string { return re.result }

// write sends the reply. An error means that nothing was written yet, so that
// the error encoder can answer: once the header is out, the only thing to fail
// is the connection, and then no client is left.
func (re reply) write(w http.ResponseWriter) error {
	var body bytes.Buffer
	h := w.Header()
	if re.body != nil {
		enc := json.NewEncoder(&body)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(re.body); err != nil {
			return err
		}
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(body.Len()))
	}
	h.Set("Cache-Control", "no-store")
	maps.Copy(h, re.header)
	w.WriteHeader(re.status)
	_, _ = w.Write(body.Bytes())
	return nil
}
