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

// PrefersHTMLVar is the variable of a request for a public path that is true when its client prefers HTML to JSON.
const PrefersHTMLVar = "token_gate.prefers_html"

// prefersHTML reports whether the values of an Accept header name text/html and no JSON, as every browser's do when it
// navigates; */* alone is a program's.
func prefersHTML(accept []string) bool {
	types := strings.ToLower(strings.Join(accept, ","))
	return strings.Contains(types, "text/html") && !strings.Contains(types, "json")
}
