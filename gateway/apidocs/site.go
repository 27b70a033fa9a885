package apidocs

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"

	"github.com/quayside/quayside/gateway/servicekit/pages"
)

//go:embed templates
var templates embed.FS

//go:embed console.js
var console []byte

// StaticPath is the path below which the stylesheet, the script and the icon lie.
const StaticPath = "/docs/static/"

// cached is short: a page names its stylesheet, which the next version does not have.
const cached = "public, max-age=300"

// site has the pages, and the index that they are found by.
type site struct {
	mux   *http.ServeMux
	pages *pages.Set
	index index
}

// page is the data of a template.
type page struct {
	pages.Frame

	Query string // of a search
	Body  any
}

// newSite renders all pages.
func newSite() (*site, error) {
	files, err := fs.Sub(templates, "templates")
	if err != nil {
		return nil, err
	}
	set, err := pages.New(files, StaticPath, nil)
	if err != nil {
		return nil, err
	}
	s := &site{mux: http.NewServeMux(), pages: set}
	for _, name := range []string{"style.css", "script.js", "icon.svg", "apple-touch-icon.png"} {
		s.handle(set.Address(name), func(w http.ResponseWriter, r *http.Request) {
			set.ServeStatic(w, r, func(status int) { http.Error(w, http.StatusText(status), status) })
		})
	}
	s.handle(StaticPath+"console.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Cache-Control", cached)
		_, _ = w.Write(console) // an error means that the client has disconnected
	})
	s.handle("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		s.write(w, "front", page{Frame: frame("Shipments of fresh produce", "")})
	})
	s.handle("/status", s.status)
	s.handle("/docs/search", s.search)
	for _, add := range []func() error{s.addGuides, s.addReference, s.addProblems} {
		if err := add(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// handle serves a path, with the headers of pages.
func (s *site) handle(path string, serve http.HandlerFunc) {
	s.mux.Handle("GET "+path, pages.Harden(serve, false))
}

// add renders a page, adds its sections to the index and serves it.
func (s *site) add(path, template, title, tab string, body any) error {
	content, err := s.pages.Render(template, page{Frame: frame(title, tab), Body: body})
	if err != nil {
		return fmt.Errorf("page %s: %w", path, err)
	}
	s.index.add(path, title, content)
	s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", cached)
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content) // an error means that the client has disconnected
	})
	return nil
}

// write renders and sends a page that differs from request to request.
func (s *site) write(w http.ResponseWriter, template string, p page) {
	_ = s.pages.Write(w, http.StatusOK, template, p) // an error is one of the template, and a plain 500
}

// frame is the frame of a page below one of the tabs.
func frame(title, tab string) pages.Frame {
	tabs := []pages.Link{
		{Text: "Guides", To: "/docs"},
		{Text: "Reference", To: "/docs/reference"},
		{Text: "Problem codes", To: "/problems"},
		{Text: "Shipments", To: "/shipments"},
	}
	for i := range tabs {
		tabs[i].Current = tabs[i].To == tab
	}
	return pages.Frame{Title: title, Tabs: tabs}
}
