package tokengate

import (
	"embed"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/quayside/quayside/gateway/apidocs"
	"github.com/quayside/quayside/gateway/servicekit/pages"
)

// problemPages has the page of a problem, with the static files of the documentation.
var problemPages = sync.OnceValues(func() (*pages.Set, error) { return pages.New(embed.FS{}, apidocs.StaticPath, nil) })

// problemPage is the data of that page.
type problemPage struct {
	pages.Frame

	RequestID string
	Data      pages.Problem
}

// writePage answers a browser with p.
func (p problem) writePage(w http.ResponseWriter, r *http.Request, requestID string) error {
	set, err := problemPages()
	if err != nil {
		return err
	}
	text := p.Detail
	if p.advice != "" {
		text += " " + p.advice
	}
	if p.retryAfter > 0 {
		text += fmt.Sprintf(" Please try again in %d s.", p.retryAfter)
	}
	body, err := set.Render("error", problemPage{
		Frame: pages.Frame{Title: p.Title}, RequestID: requestID,
		Data: pages.Problem{Heading: p.Title, Text: text, To: "/", Link: "Go to the start page", ShowRequest: true},
	})
	if err != nil {
		return err
	}
	pages.Harden(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		err = p.send(w, "text/html; charset=utf-8", body)
	}), false).ServeHTTP(w, r)
	return err
}

// prefersHTML reports whether the Accept header of a request names text/html and no JSON, as every browser's does when
// it navigates; */* alone is a program's. Below apiPrefix all are programs: libraries, such as Java's, name text/html.
func prefersHTML(r *http.Request) bool {
	types := strings.ToLower(strings.Join(r.Header["Accept"], ","))
	return strings.Contains(types, "text/html") && !strings.Contains(types, "json") &&
		!strings.HasPrefix(r.URL.Path, apiPrefix)
}
