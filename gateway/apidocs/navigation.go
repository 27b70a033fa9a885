package apidocs

import (
	"html/template"
	"regexp"
	"slices"
)

// document is a page of the documentation, which is the same in every response.
type document struct {
	Path, Template, Title string
	Chapter               string // of the navigation; "": it has no entry there
	Body                  any
}

// chapter is a part of the navigation.
type chapter struct {
	Title string
	Pages []document
}

// Has reports whether the document at a path is in the chapter, which the navigation then shows.
func (c chapter) Has(path string) bool {
	return slices.ContainsFunc(c.Pages, func(d document) bool { return d.Path == path })
}

// chapters are the documents of the navigation, by chapter.
func (s *site) chapters() (all []chapter) {
	for _, d := range s.documents {
		if d.Chapter == "" {
			continue
		}
		i := slices.IndexFunc(all, func(c chapter) bool { return c.Title == d.Chapter })
		if i < 0 {
			i, all = len(all), append(all, chapter{Title: d.Chapter})
		}
		all[i].Pages = append(all[i].Pages, d)
	}
	return all
}

// neighbours are the documents before and after one in the navigation; nil: there is none.
func neighbours(chapters []chapter, path string) (previous, next *document) {
	var all []document
	for _, c := range chapters {
		all = append(all, c.Pages...)
	}
	i := slices.IndexFunc(all, func(d document) bool { return d.Path == path })
	if i > 0 {
		previous = &all[i-1]
	}
	if i >= 0 && i+1 < len(all) {
		next = &all[i+1]
	}
	return previous, next
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
