package apidocs

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"path"
	"strings"
	plain "text/template"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

//go:embed guides/*.md
var guideFiles embed.FS

// guideNames are the guides in the order in which one reads them.
var guideNames = []string{
	"first-request", "authentication", "limits", "paging", "idempotency", "documents", "webhooks", "errors", "changes",
}

// guide is a Markdown file: a heading, a paragraph that says what it is about, and the rest.
type guide struct {
	Path, Title, Summary string
	Text                 template.HTML
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// addGuides adds the guides and their list.
func (s *site) addGuides() error {
	var guides []guide
	for _, name := range guideNames {
		source, err := guideFiles.ReadFile("guides/" + name + ".md")
		if err != nil {
			return err
		}
		g := guide{Path: "/docs/" + name}
		head := strings.SplitN(string(source), "\n\n", 3)
		if len(head) < 3 || !strings.HasPrefix(head[0], "# ") {
			return fmt.Errorf("guide %s does not begin with a heading and a paragraph", name)
		}
		g.Title, g.Summary = strings.TrimPrefix(head[0], "# "), head[1]
		g.Text = render(string(source))
		guides = append(guides, g)
		if name == "changes" {
			if err := s.addFeed(string(source)); err != nil {
				return err
			}
		}
	}
	s.add(document{Path: "/docs", Template: "guides", Title: "Overview", Chapter: "Guides", Body: guides})
	for _, g := range guides {
		s.add(document{Path: g.Path, Template: "guide", Title: g.Title, Chapter: "Guides", Body: g})
	}
	return nil
}

// render returns Markdown as HTML. Links to the files of guides become links to their pages.
func render(source string) template.HTML {
	document := markdown.Parser().Parse(text.NewReader([]byte(source)))
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := node.(*ast.Link); ok && entering {
			to, fragment, _ := strings.Cut(string(link.Destination), "#")
			if name, isGuide := strings.CutSuffix(to, ".md"); isGuide {
				link.Destination = []byte(strings.TrimSuffix("/docs/"+path.Base(name)+"#"+fragment, "#"))
			}
		}
		return ast.WalkContinue, nil
	})
	var out bytes.Buffer
	_ = markdown.Renderer().Render(&out, []byte(source), document) // a buffer takes everything

	//nolint:gosec // G203: of the program; raw HTML is omitted
	return template.HTML(colourBlocks(out.String()))
}

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
	err := plain.Must(plain.ParseFS(templates, "templates/atom.tmpl")).Execute(&content, all)
	s.serve("/docs/changes.atom", "application/atom+xml", content.Bytes())
	return err
}
