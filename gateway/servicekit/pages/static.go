package pages

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
)

// addresses returns those of the static files by their names: each has the hash of its content,
// so it never leads to anything else.
func addresses(prefix string) map[string]string {
	all := map[string]string{}
	for _, name := range []string{"apple-touch-icon.png", "icon.svg", "script.js", "style.css"} {
		content, err := files.ReadFile("static/" + name)
		if err != nil {
			panic(err) // it is part of the program
		}
		sum := sha256.Sum256(content)
		all[name] = prefix + hex.EncodeToString(sum[:8]) + "/" + name
	}
	return all
}

// ServeStatic serves a static file, and calls missing for every other path and method.
func (s *Set) ServeStatic(w http.ResponseWriter, r *http.Request, missing func(status int)) {
	name := path.Base(r.URL.Path)
	switch {
	case r.URL.Path != s.addresses[name]:
		missing(http.StatusNotFound)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		missing(http.StatusMethodNotAllowed)
	default:
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		http.ServeFileFS(w, r, files, "static/"+name)
	}
}

// Address returns the address of a static file, such as style.css.
func (s *Set) Address(name string) string { return s.addresses[name] }
