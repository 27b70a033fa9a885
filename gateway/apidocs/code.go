package apidocs

import (
	"html"
	"html/template"
	"regexp"
	"strings"

	chroma "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
)

// formatter gives each token a class, for which docs.css has colours.
var formatter = chroma.New(chroma.WithClasses(true), chroma.PreventSurroundingPre(true))

// colour returns source as HTML. Code of an unknown language has no colours.
func colour(language, source string) (template.HTML, error) {
	lexer := lexers.Get(language)
	if lexer == nil {
		lexer = lexers.Fallback
	}
	var out strings.Builder
	tokens, err := lexer.Tokenise(nil, source)
	if err == nil {
		err = formatter.Format(&out, styles.Fallback, tokens)
	}
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
func (c choice) HTML() template.HTML {
	var out strings.Builder
	if err := codeTemplate.Execute(&out, c); err != nil {
		panic(err) // everything is part of the program
	}
	return template.HTML(out.String()) //nolint:gosec // G203: of a template
}

// Blocks of code that follow each other, as Markdown renders them, and one of them.
var (
	codeBlocks = regexp.MustCompile(`(<pre><code class="language-\w+">[^<]*</code></pre>\s*)+`)
	codeBlock  = regexp.MustCompile(`<code class="language-(\w+)">([^<]*)`)
)

// colourBlocks makes one choice of blocks that follow each other in a text.
func colourBlocks(text string) string {
	number := 0
	return codeBlocks.ReplaceAllStringFunc(text, func(blocks string) string {
		number++
		c := choice{Number: number}
		for _, block := range codeBlock.FindAllStringSubmatch(blocks, -1) {
			c.Samples = append(c.Samples, sample{block[1], html.UnescapeString(block[2])})
		}
		return string(c.HTML())
	})
}
