package web

import (
	"embed"
	"html/template"
	"io/fs"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

//go:embed templates
var templateFiles embed.FS

// staticPath is the prefix of the static files.
const staticPath = "/settings/static/"

// set is the pages by name.
var set = readTemplates()

func readTemplates() *pages.Set {
	files, err := fs.Sub(templateFiles, "templates")
	if err != nil {
		panic(err) // the program was built without them
	}
	set, err := pages.New(files, staticPath, template.FuncMap{
		"roleName": roleName, "roleText": tokens.Role.Text, "public": public,
	})
	if err != nil {
		panic(err) // likewise
	}
	return set
}

func roleName(r tokens.Role) string { return words(string(r)) }

// public returns the public part of a token's text.
func public(t tokens.Token) string {
	return "shpt_" + string(t.Environment) + "_" + strings.TrimPrefix(string(t.ID), "tok_") + "_…"
}
