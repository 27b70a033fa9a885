package pages

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
)

// findStatic computes the addresses of the static files: each has the hash of its content,
// so it never leads to anything else.
func (s *Set) findStatic() error {
	names, err := fs.Glob(files, "static/*")
	if err != nil {
		return err
	}
	for _, name := range names {
		content, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		s.addresses[path.Base(name)] = s.prefix + hex.EncodeToString(sum[:8]) + "/" + path.Base(name)
	}
	return nil
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
