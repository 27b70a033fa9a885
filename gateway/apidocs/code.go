package apidocs

import (
	"html/template"
	"strings"

	"github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// formatter gives each token a class, for which docs.css has colours.
var formatter = html.New(html.WithClasses(true), html.PreventSurroundingPre(true))

// colour returns source as HTML. Code of an unknown language has no colours.
func colour(language, source string) (template.HTML, error) {
	lexer := lexers.Get(language)
	if lexer == nil {
		lexer = lexers.Fallback
	}
	tokens, err := lexer.Tokenise(nil, source)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = formatter.Format(&out, styles.Fallback, tokens)
	return template.HTML(out.String()), err //nolint:gosec // G203: it is escaped
}

// sample is a program in one language.
type sample struct{ Language, Source string }

// choice is the same program in several languages, of which a page shows one.
type choice struct {
	Number  int // in the page
	Samples []sample
}

var codeTemplate = template.Must(template.New("code.tmpl").Funcs(template.FuncMap{"colour": colour}).
	ParseFS(templates, "templates/code.tmpl"))

// HTML returns the samples with the switch between their languages.
func (c choice) HTML() (template.HTML, error) {
	var out strings.Builder
	err := codeTemplate.Execute(&out, c)
	return template.HTML(out.String()), err //nolint:gosec // G203: of a template
}

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
		text, err := c.HTML()
		_, _ = w.WriteString(string(text)) // to a buffer, which takes everything
		return ast.WalkSkipChildren, err
	})
}

func isCode(node ast.Node) bool { return node != nil && node.Kind() == ast.KindFencedCodeBlock }
