package apidocs

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// feed is the API changelog in Atom (RFC 4287). Its addresses are relative, to that of the feed.
type feed struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Author  string   `xml:"author>name"`
	Self    atomLink `xml:"link"`
	Entries []change `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

// change is a section of the changelog, whose heading begins with its day.
type change struct {
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Link    atomLink `xml:"link"`
	Content struct {
		Type string `xml:"type,attr"`
		HTML string `xml:",chardata"`
	} `xml:"content"`
}

// addFeed serves the changelog, whose newest section is the first.
func (s *site) addFeed(source string) error {
	f := feed{ID: "urn:quayside:changes", Title: "Quayside API changelog", Author: "Quayside"}
	f.Self = atomLink{"self", "/docs/changes.atom"}
	_, sections, _ := strings.Cut(source, "\n## ")
	for section := range strings.SplitSeq(sections, "\n## ") {
		title, text, _ := strings.Cut(section, "\n")
		day, _, _ := strings.Cut(title, ":")
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return fmt.Errorf("a heading of the changelog begins with no day: %w", err)
		}
		one := change{ID: f.ID + ":" + day, Title: title, Updated: at.Format(time.RFC3339)}
		one.Link = atomLink{"alternate", "/docs/changes"}
		one.Content.Type, one.Content.HTML = "html", string(render(text))
		f.Entries = append(f.Entries, one)
	}
	f.Updated = f.Entries[0].Updated
	content, err := xml.Marshal(f)
	if err != nil {
		return err
	}
	s.handle("/docs/changes.atom", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/atom+xml; charset=utf-8")
		w.Header().Set("Cache-Control", cached)
		_, _ = w.Write(append([]byte(xml.Header), content...)) // an error means that the client has disconnected
	})
	return nil
}
