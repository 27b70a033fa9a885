package apidocs

import (
	"bytes"
	"cmp"
	_ "embed" // for the synonyms
	"net/http"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// index has the sections of all pages.
type index []section

// section is a heading and the text below it.
type section struct {
	To, Page, Heading, Text string
	words                   [3]string // of Page, Heading and Text
	rank                    int       // for a query
}

// weights are how much a word counts in each of section.words, if it is the reader's own; one that means the same
// counts half.
var weights = [...]int{16, 8, 2}

// synonyms has the words that say nothing in a query, and a line for each group of words that mean the same.
//
//go:embed synonyms.txt
var synonyms string

// terms are what a query looks for: each word, followed by those that mean the same. Of a plural that is the singular,
// which both begin with.
func terms(query string) (all [][]string) {
	groups, given := strings.Split(strings.TrimSpace(synonyms), "\n"), strings.Fields(words(query))
	for _, word := range given[:min(len(given), maxTerms)] {
		if len(word) > 3 {
			word = strings.TrimSuffix(word, "s")
		}
		one := []string{word}
		for _, group := range groups {
			if same := strings.Split(group, ", "); slices.Contains(same, word) {
				one = append(one, same...)
			}
		}
		if !slices.Contains(strings.Split(groups[0], ", "), word) {
			all = append(all, one)
		}
	}
	return all
}

// words are those of a text in lower case, each between spaces.
func words(text string) string {
	parts := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return " " + strings.Join(parts, " ") + " "
}

func (x *index) append(s section) {
	s.Text = strings.Join(strings.Fields(s.Text), " ")
	s.words = [...]string{words(s.Page), words(s.Heading), words(s.Text)}
	*x = append(*x, s)
}

// passedOver are the elements whose text is not searched: the title, which the page has anyway, and code.
var passedOver = []atom.Atom{atom.H1, atom.Pre, atom.Form, atom.Fieldset}

// add adds the sections of a page: each begins at a heading with an id.
func (x *index) add(path, title string, content []byte) {
	now := section{To: path, Page: title}
	inArticle, inHeading, over := false, false, 0
	for z := html.NewTokenizer(bytes.NewReader(content)); z.Next() != html.ErrorToken; {
		token := z.Token()
		starts := token.Type == html.StartTagToken
		switch {
		case token.DataAtom == atom.Article:
			inArticle = starts
		case slices.Contains(passedOver, token.DataAtom) && starts:
			over++
		case slices.Contains(passedOver, token.DataAtom):
			over--
		case !inArticle || over > 0:
		case token.DataAtom == atom.H2 || token.DataAtom == atom.H3:
			if inHeading = starts; starts {
				x.append(now)
				now = section{To: path, Page: title}
				for _, attribute := range token.Attr {
					if attribute.Key == "id" {
						now.To += "#" + attribute.Val
					}
				}
			}
		case token.Type != html.TextToken:
		case inHeading:
			now.Heading += token.Data
		default:
			now.Text += " " + token.Data
		}
	}
	x.append(now)
}

const (
	maxTerms     = 10 // those behind them are not looked for
	maxFound     = 12 // of guides, and of the reference
	snippetBytes = 160
)

// results are what is found in a part of the documentation.
type results struct {
	Title    string
	Sections []section
}

// find returns the best section of each page that has all terms, and what stands around the first of them. Guides and
// the reference are ranked apart.
func (x index) find(query string) []results {
	looked, seen := terms(query), map[string]bool{}
	all := []results{{Title: "Guides"}, {Title: "Reference"}}
	found := slices.Clone(x)
	for i := range found {
		found[i].rank = min(len(looked), 1) // higher the more terms are in headings, and 0 if one is nowhere
		for _, one := range looked {
			found[i].rank *= found[i].weight(one)
		}
	}
	slices.SortStableFunc(found, func(a, b section) int { return cmp.Compare(b.rank, a.rank) })
	for _, s := range found {
		of := &all[0]
		if strings.HasPrefix(s.To, "/docs/reference") || strings.HasPrefix(s.To, "/problems") {
			of = &all[1]
		}
		page, _, _ := strings.Cut(s.To, "#")
		if s.rank > 0 && !seen[page] && len(of.Sections) < maxFound {
			seen[page] = true
			s.Text = s.snippet(looked[0])
			of.Sections = append(of.Sections, s)
		}
	}
	return all
}

// weight is that of the best place of a term. The reader's own word may be the beginning of one.
func (s section) weight(t []string) (best int) {
	for i, text := range s.words {
		if strings.Contains(text, " "+t[0]) {
			best = max(best, weights[i])
		}
		for _, same := range t[1:] {
			if strings.Contains(text, " "+same+" ") || strings.Contains(text, " "+same+"s ") {
				best = max(best, weights[i]/2)
			}
		}
	}
	return best
}

// snippet is the part of the text around a term.
func (s section) snippet(t []string) string {
	text := s.Text
	from := max(0, strings.Index(strings.ToLower(text), t[0])-snippetBytes/4)
	text = strings.ToValidUTF8(text[min(from, len(text)):min(from+snippetBytes, len(text))], "")
	if from > 0 {
		text = "… " + text
	}
	return text + " …"
}

// search shows what is found for the parameter q.
func (s *site) search(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query().Get("q")
	s.write(w, "search", page{
		Frame: frame("Search", "/docs"), Query: query, Chapters: s.chapters, Body: s.index.find(query),
	})
}
