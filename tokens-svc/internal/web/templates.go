package web

import (
	"embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

//go:embed templates
var templateFiles embed.FS

// templates are the pages by name. Each is the layout with the page's main.
var templates = readTemplates()

func readTemplates() map[string]*template.Template {
	const dir, extension = "templates/", ".html"
	base := template.Must(template.New("").Funcs(template.FuncMap{
		"roleName": roleName, "roleText": func(r tokens.Role) string { return roleTexts[r] }, "public": public,
		"join": strings.Join, "soft": soft,
	}).ParseFS(templateFiles, dir+"layout"+extension, dir+"parts"+extension))
	entries, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic(err) // the program was built without them
	}
	pages := map[string]*template.Template{}
	for _, entry := range entries {
		clone := template.Must(base.Clone())
		pages[strings.TrimSuffix(entry.Name(), extension)] = template.Must(clone.ParseFS(templateFiles, dir+entry.Name()))
	}
	return pages
}

func roleName(r tokens.Role) string {
	text := string(r)
	return strings.ToUpper(text[:1]) + text[1:]
}

var roleTexts = map[tokens.Role]string{
	tokens.RoleOwner:   "All settings, including adding and removing owners",
	tokens.RoleAdmin:   "All settings except adding, changing and removing owners",
	tokens.RoleMember:  "Creates tokens for shipments and documents, and changes their own",
	tokens.RoleAuditor: "Views tokens, members and the audit log; can't make changes",
}

// breaks are where lines may break in an address.
var breaks = strings.NewReplacer("@", "@<wbr>", ".", "<wbr>.", ":", ":<wbr>")

// soft returns an e-mail or IP address whose lines break at its punctuation.
func soft(address any) template.HTML {
	return template.HTML(breaks.Replace(template.HTMLEscapeString(fmt.Sprint(address)))) //nolint:gosec // G203: it is escaped
}

// public returns the public part of a token's text.
func public(t tokens.Token) string {
	return "shpt_" + string(t.Environment) + "_" + strings.TrimPrefix(string(t.ID), "tok_") + "_…"
}
