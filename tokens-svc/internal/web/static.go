package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
)

// staticPath is followed by the hash of a file's content and its name. So an
// address never leads to anything else, and may be kept for ever.
const staticPath = "/settings/static/"

//go:embed static
var staticFiles embed.FS

// static is the stylesheet, the script and the icon.
var static = readStatic()

type files map[string]struct {
	content []byte
	hash    string
}

func readStatic() files {
	all := files{}
	entries, err := staticFiles.ReadDir("static")
	if err != nil {
		panic(err) // the program was built without them
	}
	for _, entry := range entries {
		content, err := staticFiles.ReadFile("static/" + entry.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(content)
		file := all[entry.Name()]
		file.content, file.hash = content, hex.EncodeToString(sum[:8])
		all[entry.Name()] = file
	}
	return all
}

// path returns a file's address.
func (f files) path(name string) string { return staticPath + f[name].hash + "/" + name }

func (s *site) serveStatic(w http.ResponseWriter, r *http.Request) {
	_, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, staticPath), "/")
	file, ok := static[name]
	if !ok || r.URL.Path != static.path(name) {
		s.write(w, r, nil, errorPage(http.StatusNotFound))
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		s.write(w, r, nil, errorPage(http.StatusMethodNotAllowed))
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(file.content))
}
