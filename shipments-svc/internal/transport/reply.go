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
	body   any // shown as JSON; nil: no body
}

// write sends the reply. Nothing is sent when the body cannot be encoded.
func (re reply) write(w http.ResponseWriter) error {
	var buf bytes.Buffer
	if re.body != nil {
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(re.body); err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(buf.Len()))
	}
	maps.Copy(w.Header(), re.header)
	w.WriteHeader(re.status)
	_, _ = w.Write(buf.Bytes()) // the client is gone: there is nobody left to tell
	return nil
}
