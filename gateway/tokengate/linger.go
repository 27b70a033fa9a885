package tokengate

import (
	"io"
	"net/http"
	"time"
)

// How long, and for how many bytes, a body is read on after the gate has answered without it.
const (
	lingerTime  = time.Second
	lingerBytes = 8 << 20
)

// linger sends the answer out and then reads what the client is still writing. Without it the connection
// would be closed over unread data, which TCP answers with a reset, and the client might never see why it
// was refused. net/http lingers by itself, but only while the body is not wrapped, and Caddy's access
// log wraps it.
//
// A client that waits for 100 Continue has nothing under way.
func linger(w http.ResponseWriter, r *http.Request, body io.Reader) {
	if r.ContentLength == 0 || r.Header.Get("Expect") != "" {
		return
	}
	control := http.NewResponseController(w)
	if control.Flush() != nil || control.SetReadDeadline(time.Now().Add(lingerTime)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, body, lingerBytes) // whatever ends it ends the lingering
}
