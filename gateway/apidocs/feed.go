package apidocs

import (
	"bytes"
	"html/template"
	"net/http"
	"strings"
	text "text/template"
)

// change is a section of the API changelog, whose heading begins with its day.
type change struct {
	Day, Title string
	Text       template.HTML
}

// addFeed serves the changelog in Atom (RFC 4287). Its newest section is the first.
func (s *site) addFeed(changelog string) error {
	var all []change
	for _, section := range strings.Split(changelog, "\n## ")[1:] {
		heading, rest, _ := strings.Cut(section, "\n")
		day, title, _ := strings.Cut(heading, ": ")
		all = append(all, change{day, title, render(rest)})
	}
	var content bytes.Buffer
	feed, err := text.ParseFS(templates, "templates/atom.tmpl")
	if err == nil {
		err = feed.Execute(&content, all)
	}
	s.handle("/docs/changes.atom", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/atom+xml; charset=utf-8")
		w.Header().Set("Cache-Control", cached)
		_, _ = w.Write(content.Bytes()) // an error means that the client has disconnected
	})
	return err
}
