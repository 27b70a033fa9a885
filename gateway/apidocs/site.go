package apidocs

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
)

//go:embed templates
var templates embed.FS

//go:embed docs.css docs.js
var static embed.FS

// StaticPath is the path below which the stylesheets, the scripts and the icon lie.
const StaticPath = "/docs/static/"

// cached is short: a page names its stylesheet, which the next version does not have.
const cached = "public, max-age=300"

// site has the pages, and the index that they are found by.
type site struct {
	mux       *http.ServeMux
	pages     *pages.Set
	index     index
	documents []*document
	chapters  []chapter
	last      *document // of the navigation
}

// page is the data of a template.
type page struct {
	pages.Frame

	Query          string // of a search
	Path           string // of a document
	Chapters       []chapter
	Previous, Next *document
	Contents       []heading
	Body           any
}

// newSite renders all pages.
func newSite() (*site, error) {
	files, err := fs.Sub(templates, "templates")
	if err != nil {
		return nil, err
	}
	set, err := pages.New(files, StaticPath, template.FuncMap{"colour": colour})
	if err != nil {
		return nil, err
	}
	s := &site{mux: http.NewServeMux(), pages: set}
	for _, name := range []string{"style.css", "script.js", "icon.svg", "apple-touch-icon.png"} {
		s.handle(set.Address(name), func(w http.ResponseWriter, r *http.Request) {
			set.ServeStatic(w, r, func(status int) { http.Error(w, http.StatusText(status), status) })
		})
	}
	for _, name := range []string{"docs.css", "docs.js"} {
		s.handle(StaticPath+name, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", cached)
			http.ServeFileFS(w, r, static, name)
		})
	}
	s.handle("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		s.write(w, "front", page{Frame: frame("Shipments of fresh produce", "")})
	})
	s.handle("/status", s.status)
	s.handle("/docs/search", s.search)
	for _, add := range []func() error{s.addGuides, s.addReference} {
		if err := add(); err != nil {
			return nil, err
		}
	}
	for _, d := range s.documents {
		if err := s.publish(d); err != nil {
			return nil, fmt.Errorf("page %s: %w", d.Path, err)
		}
	}
	return s, nil
}

// handle serves a path, with the headers of pages.
func (s *site) handle(path string, serve http.HandlerFunc) {
	s.mux.Handle("GET "+path, pages.Harden(serve, false))
}

// publish renders a document, adds its sections to the index and serves it.
func (s *site) publish(d *document) error {
	p := page{Frame: frame(d.Title, d.Path), Path: d.Path, Chapters: s.chapters, Body: d.Body}
	p.Previous, p.Next = d.previous, d.next
	content, err := s.pages.Render(d.Template, p)
	if err != nil {
		return err
	}
	p.Contents = contents(content)
	if content, err = s.pages.Render(d.Template, p); err != nil {
		return err
	}
	if d.Template != "guides" { // which repeats the summaries of others
		s.index.add(d.Path, d.Title, content)
	}
	content = headings.ReplaceAll(content, []byte(`<h$1 id="$2"><a class="anchor" href="#$2">$3</a></h$1>`))
	s.serve(d.Path, "text/html", content)
	return nil
}

// serve serves what is the same in every response.
func (s *site) serve(path, mediaType string, content []byte) {
	s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType+"; charset=utf-8")
		w.Header().Set("Cache-Control", cached)
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content) // an error means that the client has disconnected
	})
}

// write renders and sends a page that differs from request to request.
func (s *site) write(w http.ResponseWriter, template string, p page) {
	_ = s.pages.Write(w, http.StatusOK, template, p) // an error is one of the template, and a plain 500
}

// frame is the frame of a page at a path, which decides the tab.
func frame(title, path string) pages.Frame {
	reference := strings.HasPrefix(path, "/docs/reference")
	return pages.Frame{Title: title, Tabs: []pages.Link{
		{Text: "Guides", To: "/docs", Current: strings.HasPrefix(path, "/docs") && !reference},
		{Text: "Reference", To: "/docs/reference", Current: reference},
		{Text: "Problem codes", To: "/problems", Current: strings.HasPrefix(path, "/problems")},
		{Text: "Shipments", To: "/shipments"},
	}}
}
