package transport

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// writeJSON answers 200 with v. An error means that nothing was written yet, so
// that the error encoder can answer: once the header is out, the only thing to
// fail is the connection, and then nobody is left to tell.
func writeJSON(w http.ResponseWriter, v any) error {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(body.Bytes())
	return nil
}
