package apidocs

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the data and the pages
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
)

// problem explains one problem code: its meaning, and what a client can do.
type problem struct {
	Code    string `json:"code"`
	Status  int    `json:"status"`
	Title   string `json:"title"`
	Meaning string `json:"meaning"`
	Remedy  string `json:"remedy"`
}

// StatusText is the name of the problem's status.
func (p problem) StatusText() string {
	if p.Status == 499 { // in use, but in no standard
		return "Client Closed Request"
	}
	return http.StatusText(p.Status)
}

var (
	//go:embed problems.json
	problemsText []byte
	//go:embed problems.html.tmpl
	problemPagesText string
	//go:embed problems.css
	problemsStyle string
)

// addProblems adds the list of the problem codes and the page of each to mux.
func addProblems(mux *http.ServeMux) {
	sum := sha256.Sum256([]byte(problemsStyle))
	pages := kind{
		"text/html; charset=utf-8",
		"default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		"public, max-age=3600",
	}
	all, layout := readProblems(), template.Must(template.New("").Parse(problemPagesText))
	mux.Handle("GET /problems", pages.file(render(layout, "index", all)))
	for _, p := range all {
		mux.Handle("GET /problems/"+p.Code, pages.file(render(layout, "entry", p)))
	}
}

// readProblems returns every problem, by status and code.
func readProblems() (all []problem) {
	if err := json.Unmarshal(problemsText, &all); err != nil {
		panic(fmt.Sprintf("problems.json: %v", err)) // the file is part of the program
	}
	return all
}

func render(layout *template.Template, name string, content any) []byte {
	var page bytes.Buffer
	err := layout.ExecuteTemplate(&page, name, struct {
		Style   template.CSS
		Content any
	}{template.CSS(problemsStyle), content}) //nolint:gosec // G203: our own embedded file
	if err != nil {
		panic(fmt.Sprintf("page %s: %v", name, err)) // the template is part of the program
	}
	return page.Bytes()
}
