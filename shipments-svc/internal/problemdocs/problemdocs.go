// Package problemdocs explains each problem code of the product to the people
// who meet it: what it means and what to do. A problem's type leads here.
//
// The pages are made once, from problems.json; they need no script and load
// nothing from elsewhere.
package problemdocs

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the data and the pages
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"

	"github.com/quayside/quayside/gateway/servicekit/problem"
	"github.com/quayside/quayside/gateway/servicekit/requestid"
	"github.com/quayside/quayside/shipments-svc/internal/page"
)

// Entry explains one code.
type Entry struct {
	Code    string `json:"code"`
	Status  int    `json:"status"`
	Title   string `json:"title"`
	Meaning string `json:"meaning"`
	Remedy  string `json:"remedy"`
}

// StatusText is the name of the entry's status.
func (e Entry) StatusText() string {
	if e.Status == 499 { // which is only in use, and in no standard
		return "Client Closed Request"
	}
	return http.StatusText(e.Status)
}

var (
	//go:embed problems.json
	data []byte
	//go:embed page.html.tmpl
	pageText string
	//go:embed style.css
	style string

	entries = mustRead(data)
	pages   = template.Must(template.New("").Parse(pageText))
)

// Entries returns every entry, by status and code.
func Entries() []Entry { return slices.Clone(entries) }

// Index returns the handler of the page that lists every code.
func Index() http.Handler {
	index := render("index", entries)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { kind.Send(w, index) })
}

// Page returns the handler of the page of the code that the path value "code"
// names.
func Page() http.Handler {
	byCode := map[string][]byte{}
	for _, e := range entries {
		byCode[e.Code] = render("entry", e)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entry, ok := byCode[r.PathValue("code")]
		if !ok {
			p := problem.New(http.StatusNotFound, "not_found", "Not found", "there is no such problem code; /problems lists them")
			p.RequestID = requestid.Of(r)
			_ = p.Write(w, r) // the client is gone: there is nobody left to tell
			return
		}
		kind.Send(w, entry)
	})
}

func mustRead(data []byte) []Entry {
	var all []Entry
	if err := json.Unmarshal(data, &all); err != nil {
		panic(fmt.Sprintf("problems.json: %v", err))
	}
	return all
}

func render(name string, content any) []byte {
	var buf bytes.Buffer
	err := pages.ExecuteTemplate(&buf, name, struct {
		Style   template.CSS
		Content any
	}{template.CSS(style), content}) //nolint:gosec // G203: our own embedded file
	if err != nil {
		panic(fmt.Sprintf("page %s: %v", name, err))
	}
	return buf.Bytes()
}

// policy lets a page use its own style and nothing else.
var policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

var kind = page.Kind{ContentType: "text/html; charset=utf-8", Policy: policy, Cache: "public, max-age=3600"}
