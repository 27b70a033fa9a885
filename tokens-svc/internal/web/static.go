package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
)

// staticPath is followed by the hash of a file's content and its name. So an
// address never leads to anything else, and may be kept for ever.
const staticPath = "/settings/static/"

//go:embed static
var staticFiles embed.FS

// static is the addresses of the stylesheet, the script and the icon, by name.
var static = staticAddresses()

func staticAddresses() map[string]string {
	all := map[string]string{}
	names, _ := fs.Glob(staticFiles, "static/*") // fails only with a malformed pattern
	for _, name := range names {
		content, err := staticFiles.ReadFile(name)
		if err != nil {
			panic(err) // the program was built without it
		}
		sum := sha256.Sum256(content)
		all[path.Base(name)] = staticPath + hex.EncodeToString(sum[:8]) + "/" + path.Base(name)
	}
	return all
}

func (s *site) serveStatic(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	switch {
	case r.URL.Path != static[name]:
		s.write(w, r, nil, errorPage(http.StatusNotFound))
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		s.write(w, r, nil, errorPage(http.StatusMethodNotAllowed))
	default:
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		http.ServeFileFS(w, r, staticFiles, "static/"+name)
	}
}
