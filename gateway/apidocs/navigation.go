package apidocs

import (
	"html/template"
	"regexp"
	"slices"
)

// document is a page of the documentation, which is the same in every response.
type document struct {
	Path, Template, Title string
	Chapter               string    // of the navigation; "": it has no entry there
	previous, next        *document // in the navigation; nil: none
	Body                  any
}

// chapter is a part of the navigation.
type chapter struct {
	Title string
	Pages []*document
}

// Has reports whether the document at a path is in the chapter, which the navigation then shows.
func (c chapter) Has(path string) bool {
	return slices.ContainsFunc(c.Pages, func(d *document) bool { return d.Path == path })
}

// add adds a document, which is published when all are known, for the navigation.
func (s *site) add(d document) {
	s.documents = append(s.documents, &d)
	if d.Chapter == "" {
		return
	}
	i := slices.IndexFunc(s.chapters, func(c chapter) bool { return c.Title == d.Chapter })
	if i < 0 {
		i, s.chapters = len(s.chapters), append(s.chapters, chapter{Title: d.Chapter})
	}
	s.chapters[i].Pages = append(s.chapters[i].Pages, &d)
	if d.previous = s.last; s.last != nil {
		s.last.next = &d
	}
	s.last = &d
}

// heading is one of a page that can be linked to.
type heading struct {
	Level, ID string
	Text      template.HTML
}

var headings = regexp.MustCompile(`<h([23]) id="([^"]+)">(.*?)</h[23]>`)

// contents are the headings of a page.
func contents(page []byte) (all []heading) {
	for _, found := range headings.FindAllSubmatch(page, -1) {
		text := template.HTML(found[3]) //nolint:gosec // G203: of a page
		all = append(all, heading{string(found[1]), string(found[2]), text})
	}
	return all
}
