package apidocs

import (
	"bytes"
	_ "embed" // for the pages and Redoc
	"fmt"
	"html/template"
	"net/http"
)

// redocVersion is the version of npm's package redoc whose bundle redoc.standalone.js.gz is, as it is published, packed
// by gzip; a test of deploy/test/browser compares the two. Its license is beside it.
const redocVersion = "2.5.4"

// scriptPath names the version, so that browsers may keep the script for ever.
const scriptPath = "/docs/redoc-" + redocVersion + ".js"

var (
	//go:embed documents.html.tmpl
	documentsText string
	//go:embed documents.css
	documentsStyle []byte
	//go:embed redoc.standalone.js.gz
	packedScript []byte
)

// documents are the OpenAPI documents, and the pages that show them.
var documents = []struct{ Path, Title, Document string }{
	{"/docs", "Shipments", "/api/v1/openapi.json"},
	{"/docs/tokens", "Tokens", "/api/v1/openapi/tokens.json"},
}

// documentsPolicy: Redoc writes style elements while it runs, and searches in a worker that it makes from a blob.
const documentsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"connect-src 'self'; img-src 'self' data:; " +
	"worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var (
	documentPages = kind{"text/html; charset=utf-8", documentsPolicy, "public, max-age=3600"}
	styles        = kind{"text/css; charset=utf-8", documentsPolicy, "public, max-age=3600"}
	scripts       = kind{"text/javascript; charset=utf-8", documentsPolicy, "public, max-age=31536000, immutable"}
)

// addDocuments adds the pages of the OpenAPI documents and what they load to mux.
func addDocuments(mux *http.ServeMux) {
	layout := template.Must(template.New("").Parse(documentsText))
	for _, shown := range documents {
		var page bytes.Buffer
		if err := layout.Execute(&page, map[string]any{"Shown": shown, "All": documents, "Script": scriptPath}); err != nil {
			panic(fmt.Sprintf("page %s: %v", shown.Path, err)) // the template is part of the program
		}
		mux.Handle("GET "+shown.Path, documentPages.file(page.Bytes()))
	}
	mux.Handle("GET /docs/style.css", styles.file(documentsStyle))
	mux.HandleFunc("GET "+scriptPath, serveScript)
}

// serveScript serves Redoc packed, which every browser accepts.
func serveScript(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	scripts.file(packedScript)(w, r)
}
