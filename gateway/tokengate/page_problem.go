package tokengate

import (
	"bytes"
	"html/template"
	"net/http"
	"strings"
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
{{with .RetryAfter}}<p>Please try again in {{.}} {{if eq . 1}}second{{else}}seconds{{end}}.</p>
{{end}}<p>Request <code>{{.RequestID}}</code></p>
</main>
</body>
</html>
`))

// writePage answers a request for a page with p: as HTML if the client can show it, else as problem+json.
func (p problem) writePage(w http.ResponseWriter, html bool, instance, requestID string) error {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Vary", "Accept")
	header.Set("X-Content-Type-Options", "nosniff")
	if !html {
		return p.write(w, instance, requestID)
	}
	var body bytes.Buffer
	err := pageProblem.Execute(&body, struct {
		Title, Detail, RequestID string
		RetryAfter               int
	}{p.Title, p.Detail, requestID, p.retryAfter})
	if err != nil {
		return err
	}
	return p.send(w, "text/html; charset=utf-8", body.Bytes())
}

// acceptsHTML reports whether the values of an Accept header name text/html, as every browser's do; */*
// alone is a program's. A quality of 0 refuses it (RFC 9110, section 12.4.2).
func acceptsHTML(accept []string) bool {
	for _, value := range accept {
		for mediaRange := range strings.SplitSeq(value, ",") {
			mediaType, parameters, _ := strings.Cut(mediaRange, ";")
			if !strings.EqualFold(strings.TrimSpace(mediaType), "text/html") {
				continue
			}
			name, quality, _ := strings.Cut(strings.TrimSpace(parameters), "=")
			return !strings.EqualFold(name, "q") || strings.Trim(quality, "0.") != ""
		}
	}
	return false
}
