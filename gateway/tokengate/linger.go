package tokengate

import (
	"io"
	"net/http"
	"time"
)

// How long, without a pause of lingerPause, and for how many bytes a body is read on after the gate has answered
// without it.
const (
	lingerTime  = 5 * time.Second
	lingerPause = time.Second
	lingerBytes = 32 << 20
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
	if control.Flush() != nil {
		return
	}
	buffer, end := make([]byte, 16<<10), time.Now().Add(lingerTime)
	for left := lingerBytes; left > 0 && time.Now().Before(end); {
		if control.SetReadDeadline(time.Now().Add(lingerPause)) != nil {
			return
		}
		n, err := body.Read(buffer)
		if left -= n; err != nil {
			return
		}
	}
}
