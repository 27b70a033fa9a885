// Package pages is the look and the frame of pages for people: one layout with the
// organization, its sections and the account, a stylesheet, a script, and what forms and
// lists need. A service has templates for its own pages in a folder and sends them with
// Write; html/template escapes everything.
//
// Guarantees: a page works without its script, runs no inline script or style, loads nothing
// from another host, cannot be framed, and is in no cache (Harden). Static files have
// the hash of their content in their address, so that they may be cached for ever.
package pages

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed templates static
var files embed.FS

// Set is the pages of a service.
type Set struct {
	addresses map[string]string // of static files, by name
	pages     map[string]*template.Template
}

// New returns the page "error" and those whose mains are the templates of a folder: each NAME.html defines
// "main", and parts.html, if there is one, what several of them use. The static files lie
// below prefix, such as /static/shipments/.
func New(templates fs.FS, prefix string, funcs template.FuncMap) (*Set, error) {
	s := &Set{addresses: addresses(prefix), pages: map[string]*template.Template{}}
	base, err := template.New("").Funcs(template.FuncMap{"static": s.Address, "soft": soft, "join": strings.Join}).
		Funcs(funcs).ParseFS(files, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	names, err := fs.Glob(templates, "*.html")
	if i := slices.Index(names, "parts.html"); err == nil && i >= 0 {
		base, err = base.ParseFS(templates, names[i])
	}
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	s.pages["error"] = template.Must(base.Clone())
	for _, name := range names {
		page, err := template.Must(base.Clone()).ParseFS(templates, name)
		if err != nil {
			return nil, fmt.Errorf("pages: %w", err)
		}
		s.pages[strings.TrimSuffix(name, path.Ext(name))] = page
	}
	return s, nil
}

// Write sends a page. data embeds a Frame. An error is one of the template, of which nothing
// was sent: the response is then a plain 500.
func (s *Set) Write(w http.ResponseWriter, status int, name string, data any) error {
	body, err := s.Render(name, data)
	if err != nil {
		body = []byte("<!doctype html><title>Internal error</title><p>Something went wrong.")
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
	return err
}

// Render returns a page. data embeds a Frame.
func (s *Set) Render(name string, data any) ([]byte, error) {
	page, ok := s.pages[name]
	if !ok {
		return nil, fmt.Errorf("pages: there is no page %s", name)
	}
	var body bytes.Buffer
	err := page.ExecuteTemplate(&body, "layout", data)
	return body.Bytes(), err
}

// policy lets a page load its own stylesheet, script and icon, talk to its own
// host and send forms there, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Harden sets the headers of every response. secure says that browsers come over https.
func Harden(next http.Handler, secure bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// same-origin and not no-referrer: that would make browsers send
		// "Origin: null" with our own forms.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "clipboard-write=(self), camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		h.Set("Cache-Control", "no-store")
		if secure {
			h.Set("Strict-Transport-Security", "max-age=63072000")
		}
		next.ServeHTTP(w, r)
	})
}
