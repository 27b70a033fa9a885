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
	"strconv"
	"strings"
)

// Version is the version of Redoc.
const Version = "2.5.4"

const (
	scriptPath  = "/docs/redoc-" + Version + ".js" // names the version, so that browsers may keep it for ever
	scriptType  = "text/javascript; charset=utf-8"
	scriptCache = "public, max-age=31536000, immutable"
)

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed style.css
	style []byte
	//go:embed redoc.standalone.js.gz
	packed []byte

	page = template.Must(template.New("").Parse(pageText))
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
		err := page.Execute(&buf, map[string]any{"Shown": shown, "All": each, "Script": scriptPath})
		if err != nil {
			panic(fmt.Sprintf("page %s: %v", shown.Path, err)) // the template is part of the program
		}
		mux.Handle("GET "+shown.Path, send("text/html; charset=utf-8", "public, max-age=3600", buf.Bytes()))
	}
	mux.Handle("GET /docs/style.css", send("text/css; charset=utf-8", "public, max-age=3600", style))
	mux.Handle("GET "+scriptPath, script())
}

// policy: Redoc writes style elements while it runs, and searches in a worker
// that it makes from a blob.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; " +
	"img-src 'self' data:; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func send(contentType, cache string, content []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		complete(w.Header(), contentType, cache)
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content) // the client is gone: there is nobody left to tell
	})
}

func complete(h http.Header, contentType, cache string) {
	h.Set("Content-Type", contentType)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", cache)
}

// script serves Redoc as it is kept here to clients that accept gzip, which
// is every browser, and unpacked to others.
func script() http.Handler {
	sendPacked := send(scriptType, scriptCache, packed)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			sendPacked.ServeHTTP(w, r)
			return
		}
		plain, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			panic(fmt.Sprintf("redoc.standalone.js.gz: %v", err)) // the file is part of the program
		}
		complete(h, scriptType, scriptCache)
		_, _ = io.Copy(w, plain) //nolint:gosec // G110: our own embedded file; and if the client is gone, nobody is left to tell
	})
}
