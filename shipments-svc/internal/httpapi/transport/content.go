package transport

import (
	"context"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// downloadTimeout is how long sending a file may take.
const downloadTimeout = 2 * time.Minute

func encodeContent(_ *http.Request, file shipments.StoredFile) reply {
	return reply{status: http.StatusOK, file: &file, header: http.Header{
		"Content-Type":            {file.ContentType},
		"Content-Disposition":     {attachment(file.Filename)},
		"X-Content-Type-Options":  {"nosniff"},
		"Content-Security-Policy": {"sandbox; default-src 'none'"},
		"Cache-Control":           {"private, no-cache"},
		"Etag":                    {`"` + hex.EncodeToString(file.SHA256[:]) + `"`},
	}}
}

// attachment is a Content-Disposition that has a browser store what it gets
// (RFC 6266), under a name in the two forms of RFC 8187.
func attachment(filename string) string {
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' || r == '%' {
			return '_'
		}
		return r
	}, filename)
	return `attachment; filename="` + plain + `"; filename*=UTF-8''` + strings.ReplaceAll(
		url.QueryEscape(filename), "+", "%20",
	)
}

// writeFile sends a file or the requested range of it. It returns an error, and
// sends nothing, if the file cannot be opened.
func (re reply) writeFile(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), downloadTimeout)
	defer cancel()
	content, err := re.file.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	// A writer without deadlines is accepted.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(downloadTimeout))
	maps.Copy(w.Header(), re.header)
	// write has evaluated these, and of several lines http.ServeContent reads the first.
	r.Header.Del("If-Match")
	r.Header.Del("If-None-Match")
	// Several ranges at once and other units are not supported; RFC 9110 has none of HEAD.
	if ranges := strings.Join(r.Header.Values("Range"), ","); r.Method != http.MethodGet ||
		strings.Contains(ranges, ",") ||
		!strings.HasPrefix(ranges, "bytes=") {
		r.Header.Del("Range")
	}
	size, err := content.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if of := r.Header.Get("Range"); of != "" {
		r.Header.Set("Range", withinFile(of, size))
	}
	http.ServeContent(&ranged{ResponseWriter: w, request: r, size: size}, r, "", time.Time{}, content)
	return nil
}

var positions = regexp.MustCompile(`^bytes=(\d*)-(\d*)$`)

// withinFile returns a range with positions that http.ServeContent reads as RFC 9110,
// 14.1.2, has them: those past the end of the file may be any number, and the last 0
// bytes are outside of it.
func withinFile(of string, size int64) string {
	m := positions.FindStringSubmatch(of)
	if m == nil {
		return of
	}
	for i, digits := range m[1:] {
		if n, err := strconv.ParseInt(digits, 10, 64); digits != "" && (err != nil || n > size) {
			m[i+1] = strconv.FormatInt(size, 10)
		}
	}
	if n, err := strconv.ParseInt(m[2], 10, 64); m[1] == "" && err == nil && n == 0 {
		m[1], m[2] = strconv.FormatInt(size, 10), ""
	}
	return "bytes=" + m[1] + "-" + m[2]
}

// ranged writes a problem where http.ServeContent would write plain text or
// nothing: for a range outside of the file.
type ranged struct {
	http.ResponseWriter
	request *http.Request
	size    int64 // of the file, in bytes
	refused bool
}

// WriteHeader implements http.ResponseWriter.
func (w *ranged) WriteHeader(status int) {
	if status != http.StatusRequestedRangeNotSatisfiable {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	for _, name := range []string{"Content-Disposition", "Etag", "Content-Length"} {
		w.Header().Del(name)
	}
	w.Header().Set("Content-Range", "bytes */"+strconv.FormatInt(w.size, 10)) // also for a malformed range
	p := problem.New(
		status, "range_not_satisfiable", "Range not satisfiable",
		"the requested range is outside of the file; Content-Range has its length",
	)
	p.RequestID = requestid.Of(w.request)
	_ = p.Write(w.ResponseWriter, w.request) // the client is gone
}

// Write implements http.ResponseWriter.
func (w *ranged) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *ranged) Unwrap() http.ResponseWriter { return w.ResponseWriter }
