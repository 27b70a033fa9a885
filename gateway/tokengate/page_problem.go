package tokengate

import (
	"bytes"
	"encoding/json"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// pageProblem is what a browser shows of a problem. It needs no style and no script, and is allowed none.
var pageProblem = template.Must(template.New("problem").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Title}} · Quayside</title>
</head>
<body>
<main>
<h1>{{.Title}}</h1>
<p>{{.Detail}}</p>
<p>Status {{.Status}}, code <a href="/problems/{{.Code}}"><code>{{.Code}}</code></a></p>
{{with .RetryAfter}}<p>Please try again in {{.}} {{if eq . 1}}second{{else}}seconds{{end}}.</p>
{{end}}<p>Request <code>{{.RequestID}}</code></p>
</main>
</body>
</html>
`))

// writePage answers with p, as HTML if the client shows it, else as problem+json.
func (p problem) writePage(w http.ResponseWriter, html bool, instance, requestID string) error {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy",
		"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	if !html {
		return p.write(w, instance, requestID)
	}
	var body bytes.Buffer
	err := pageProblem.Execute(&body, struct {
		problem

		RequestID  string
		RetryAfter int
	}{p, requestID, p.retryAfter})
	if err != nil {
		return err
	}
	return p.send(w, "text/html; charset=utf-8", body.Bytes())
}

// heldProblem is a problem of a service that a browser navigated to. It is held back to be shown as HTML.
type heldProblem struct {
	status int
	body   bytes.Buffer
}

// maxHeld is the most of a problem's body, in bytes, that is held.
const maxHeld = 64 << 10

// hold begins to hold back a response to a browser that is a problem, and reports whether it does.
func (w *responseWriter) hold(status int) bool {
	header := w.Header()
	if !w.html || w.status != 0 || status < http.StatusBadRequest || w.method == http.MethodHead ||
		header.Get("Content-Type") != "application/problem+json" || header.Get("Content-Encoding") != "" {
		return false
	}
	w.held = &heldProblem{status: status}
	return true
}

// Write implements io.Writer. Bytes beyond maxHeld are dropped, and then only the status is shown.
func (h *heldProblem) Write(p []byte) (int, error) {
	h.body.Write(p[:min(len(p), maxHeld-h.body.Len())])
	return len(p), nil
}

// show writes the problem that was held back as HTML.
func (h *heldProblem) show(w *responseWriter) error {
	var members struct{ Title, Detail, Code string }
	if json.Unmarshal(h.body.Bytes(), &members) != nil {
		members.Title, members.Code = http.StatusText(h.status), problemOf(caddyhttp.Error(h.status, nil)).Code
	}
	header := w.Header()
	for _, name := range [...]string{"Content-Length", "Etag", "Accept-Ranges", "Last-Modified"} {
		header.Del(name)
	}
	retryAfter, _ := strconv.Atoi(header.Get("Retry-After"))
	p := problem{
		Title: members.Title, Status: h.status, Detail: members.Detail, Code: members.Code,
		retryAfter: retryAfter,
	}
	return p.writePage(w, true, w.path, w.requestID)
}

// PrefersHTMLVar is the variable of a request for a public path that is true when its client prefers HTML to JSON.
const PrefersHTMLVar = "token_gate.prefers_html"

// prefersHTML reports whether the values of an Accept header name text/html, as every browser's do when it navigates;
// */* alone is a program's. A quality of 0 refuses it (RFC 9110, section 12.4.2), and a client that names JSON with at
// least the same quality prefers that.
func prefersHTML(accept []string) bool {
	var html, other float64
	for _, value := range accept {
		for mediaRange := range strings.SplitSeq(value, ",") {
			mediaType, parameters, _ := strings.Cut(mediaRange, ";")
			q := quality(parameters)
			switch strings.ToLower(strings.TrimSpace(mediaType)) {
			case "text/html":
				html = max(html, q)
			case "application/json", "application/problem+json":
				other = max(other, q)
			}
		}
	}
	return html > other
}

// quality is the value of q among the parameters of a media range: 1 without it.
func quality(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if strings.EqualFold(name, "q") {
			q, err := strconv.ParseFloat(value, 64)
			if err != nil || !(q >= 0 && q <= 1) {
				return 0
			}
			return q
		}
	}
	return 1
}
