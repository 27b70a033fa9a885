package apidocs

import (
	"html/template"
	"io"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// tokenClasses are the classes that docs.css has colours for; other tokens have the colour of text.
var tokenClasses = map[chroma.TokenType]string{
	chroma.Keyword: "keyword", chroma.LiteralString: "string", chroma.LiteralNumber: "number", chroma.Comment: "comment",
	chroma.NameTag: "name", chroma.NameVariable: "name", chroma.NameFunction: "name", chroma.NameBuiltin: "keyword",
}

func tokenClass(t chroma.TokenType) string {
	for _, kind := range []chroma.TokenType{t, t.SubCategory(), t.Category()} {
		if class := tokenClasses[kind]; class != "" {
			return class
		}
	}
	return ""
}

// colour returns source as HTML with the class of each token. Code of an unknown language has none.
func colour(language, source string) template.HTML {
	all := []chroma.Token{{Value: source}}
	if lexer := lexers.Get(language); lexer != nil {
		if read, err := chroma.Tokenise(chroma.Coalesce(lexer), nil, source); err == nil {
			all = read
		}
	}
	var out strings.Builder
	for _, token := range all {
		text := template.HTMLEscapeString(token.Value)
		if class := tokenClass(token.Type); class != "" {
			text = `<span class="` + class + `">` + text + "</span>"
		}
		out.WriteString(text)
	}
	return template.HTML(out.String()) //nolint:gosec // G203: it is escaped
}

// sample is a program in one language.
type sample struct{ Language, Source string }

// Label is the language for people.
func (s sample) Label() string {
	return map[string]string{"sh": "curl", "go": "Go", "python": "Python", "js": "JavaScript"}[s.Language]
}

// choice is the same program in several languages, of which a page shows one.
type choice struct {
	Number  int // in the page
	Samples []sample
}

var codeTemplate = template.Must(template.New("code.tmpl").Funcs(template.FuncMap{"colour": colour}).
	ParseFS(templates, "templates/code.tmpl"))

// HTML returns the samples with the switch between their languages.
func (c choice) HTML() template.HTML {
	var out strings.Builder
	_ = c.write(&out)
	return template.HTML(out.String()) //nolint:gosec // G203: of a template
}

func (c choice) write(w io.Writer) error { return codeTemplate.Execute(w, c) }

// codeBlocks renders blocks of code that follow each other in a text as one choice.
type codeBlocks struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (codeBlocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, func(
		w util.BufWriter, source []byte, node ast.Node, entering bool,
	) (ast.WalkStatus, error) {
		if !entering || isCode(node.PreviousSibling()) {
			return ast.WalkSkipChildren, nil
		}
		c := choice{Number: node.Lines().At(0).Start}
		for next := node; isCode(next); next = next.NextSibling() {
			block := next.(*ast.FencedCodeBlock)
			c.Samples = append(c.Samples, sample{string(block.Language(source)), string(block.Lines().Value(source))})
		}
		return ast.WalkSkipChildren, c.write(w)
	})
}

func isCode(node ast.Node) bool { return node != nil && node.Kind() == ast.KindFencedCodeBlock }
