// Package docs serves the API's documents as pages for people, at /docs and
// /docs/tokens, made by Redoc in the reader's browser.
//
// Guarantees: the pages load their script, style and document from here and
// nothing from any other host, which their content security policy makes
// certain; they need no token and set no cookie; who has no script is led to
// the documents themselves.
//
// redoc.standalone.js.gz is the bundle of npm's package redoc in Version, as it
// is published, packed by gzip; a test of deploy/browser compares the two. Its
// license is beside it.
package docs

import (
	"bytes"
	"compress/gzip"
	_ "embed" // for the pages and Redoc
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/page"
)

// Version is the version of Redoc.
const Version = "2.5.4"

// scriptPath names the version, so that browsers may keep the script for ever.
const scriptPath = "/docs/redoc-" + Version + ".js"

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed style.css
	style []byte
	//go:embed redoc.standalone.js.gz
	packed []byte

	layout = template.Must(template.New("").Parse(pageText))
)

// Each is one API document, and the page that shows it.
var each = []struct{ Path, Title, Document string }{
	{"/docs", "Shipments", "/api/v1/openapi.json"},
	{"/docs/tokens", "Tokens", "/api/v1/openapi/tokens.json"},
}

// Add adds the pages and what they load to mux.
func Add(mux *http.ServeMux) {
	for _, shown := range each {
		var buf bytes.Buffer
		err := layout.Execute(&buf, map[string]any{"Shown": shown, "All": each, "Script": scriptPath})
		if err != nil {
			panic(fmt.Sprintf("page %s: %v", shown.Path, err)) // the template is part of the program
		}
		mux.Handle("GET "+shown.Path, send(pages, buf.Bytes()))
	}
	mux.Handle("GET /docs/style.css", send(styles, style))
	mux.Handle("GET "+scriptPath, script())
}

// policy: Redoc writes style elements while it runs, and searches in a worker
// that it makes from a blob.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; " +
	"img-src 'self' data:; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var (
	pages   = page.Kind{ContentType: "text/html; charset=utf-8", Policy: policy, Cache: "public, max-age=3600"}
	styles  = page.Kind{ContentType: "text/css; charset=utf-8", Policy: policy, Cache: "public, max-age=3600"}
	scripts = page.Kind{ContentType: "text/javascript; charset=utf-8", Policy: policy, Cache: "public, max-age=31536000, immutable"}
)

func send(kind page.Kind, content []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { kind.Send(w, content) })
}

// script serves Redoc as it is kept here to clients that accept gzip, which
// is every browser, and unpacked to others.
func script() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			scripts.Send(w, packed)
			return
		}
		plain, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			panic(fmt.Sprintf("redoc.standalone.js.gz: %v", err)) // the file is part of the program
		}
		scripts.Describe(h)
		_, _ = io.Copy(w, plain) //nolint:gosec // G110: our own embedded file; and if the client is gone, nobody is left to tell
	})
}
