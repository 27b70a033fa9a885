package transport

import (
	"context"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// downloadTimeout is how long sending a file may take.
const downloadTimeout = 2 * time.Minute

func encodeContent(_ *http.Request, file shipments.StoredFile) reply {
	return reply{status: http.StatusOK, file: &file, header: http.Header{
		"Content-Type":            {file.ContentType},
		"Content-Disposition":     {Download(file.Filename)},
		"X-Content-Type-Options":  {"nosniff"},
		"Content-Security-Policy": {"sandbox; default-src 'none'"},
		"Cache-Control":           {"private, no-cache"},
		"Etag":                    {`"` + hex.EncodeToString(file.SHA256[:]) + `"`},
	}}
}

// Download is a Content-Disposition that has a browser store what it gets
// (RFC 6266), under a name in the two forms of RFC 8187.
func Download(filename string) string {
	filename = strings.NewReplacer("/", "-", `\`, "-").Replace(filename)
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

// writeFile sends a file, of which it never sends a range: none is larger than MaxFile. It
// returns an error, and sends nothing, if the file cannot be opened.
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
	w.Header().Set("Content-Length", strconv.FormatInt(re.file.Size, 10))
	w.WriteHeader(re.status)
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, content) // the client is gone
	}
	return nil
}
