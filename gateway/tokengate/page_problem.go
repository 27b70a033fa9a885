package tokengate

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"
)

// pageStyle gives a problem the look of the other pages, whose stylesheet may be what cannot be served.
const pageStyle = `:root { color-scheme: light dark; --back: #f6f7f9; --bar: #fff; --text: #1a2029; --line: #dde1e7;
  --link: #0b57c2; }
@media (prefers-color-scheme: dark) {
  :root { --back: #0e1116; --bar: #161b22; --text: #e7eaee; --line: #2b323c; --link: #7fb1ff; }
}
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
header { padding: 1rem 1.25rem; background: var(--bar); border-bottom: 1px solid var(--line); font-weight: 650; }
header a { color: inherit; text-decoration: none; }
main { max-width: 28rem; margin: 2.5rem auto; padding: 0 1.25rem; overflow-wrap: anywhere; }
h1 { font-size: 1.625rem; line-height: 1.25; }
a { color: var(--link); }
`

// pagePolicy allows that style and nothing else.
var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

// pageProblem is what a browser shows of a problem.
var pageProblem = template.Must(template.New("problem").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Title}} · Quayside</title>
<style>` + pageStyle + `</style>
</head>
<body>
<header><a href="/">Quayside</a></header>
<main>
<h1>{{.Title}}</h1>
<p>{{.Detail}}</p>
{{with .Advice}}<p>{{.}}</p>
{{end}}<p>Status {{.Status}}, code <a href="/problems/{{.Code}}"><code>{{.Code}}</code></a></p>
{{with .RetryAfter}}<p>Please try again in {{.}} {{if eq . 1}}second{{else}}seconds{{end}}.</p>
{{end}}<p><a href="/">Go to the start page</a></p>
<p>Request <code>{{.RequestID}}</code></p>
</main>
</body>
</html>
`))

// writePage answers with p, as HTML if the client shows it, else as problem+json.
func (p problem) writePage(w http.ResponseWriter, html bool, instance, requestID string) error {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", pagePolicy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	if !html {
		return p.write(w, instance, requestID)
	}
	var body bytes.Buffer
	err := pageProblem.Execute(&body, struct {
		problem

		RequestID, Advice string
		RetryAfter        int
	}{p, requestID, p.advice, p.retryAfter})
	if err != nil {
		return err
	}
	return p.send(w, "text/html; charset=utf-8", body.Bytes())
}

// PrefersHTMLVar is the variable of a request for a public path that is true when its client prefers HTML to JSON.
const PrefersHTMLVar = "token_gate.prefers_html"

// HasSessionVar is the variable of a request for a public path that is true when it has the cookie of a session, which
// may have ended.
const HasSessionVar = "token_gate.has_session"

// prefersHTML reports whether the values of an Accept header name text/html and no JSON, as every browser's do when it
// navigates; */* alone is a program's.
func prefersHTML(accept []string) bool {
	types := strings.ToLower(strings.Join(accept, ","))
	return strings.Contains(types, "text/html") && !strings.Contains(types, "json")
}
