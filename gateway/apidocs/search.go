package apidocs

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// index has the sections of all pages.
type index []section

// section is a heading and the text below it.
type section struct {
	To, Page, Heading, Text string
	lower                   [3]string // Page, Heading and Text, in lower case
}

// weights are how much a word counts in each of section.lower.
var weights = [...]int{8, 4, 1}

func (x *index) append(s section) {
	s.Text = strings.Join(strings.Fields(s.Text), " ")
	s.lower = [...]string{strings.ToLower(s.Page), strings.ToLower(s.Heading), strings.ToLower(s.Text)}
	*x = append(*x, s)
}

// add adds the sections of a page: each begins at a heading with an id.
func (x *index) add(path, title string, content []byte) {
	now := section{To: path, Page: title}
	inArticle, inHeading := false, false
	for z := html.NewTokenizer(bytes.NewReader(content)); z.Next() != html.ErrorToken; {
		token := z.Token()
		starts := token.Type == html.StartTagToken
		switch {
		case token.DataAtom == atom.Article:
			inArticle = starts
		case !inArticle:
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
	maxWords     = 10 // those behind them are not looked for
	maxFound     = 30
	snippetBytes = 160
)

// find returns the sections that have all words, those with them in headings first, and what stands around the first
// word in their texts.
func (x index) find(query string) []section {
	words := strings.Fields(strings.ToLower(query))
	words = words[:min(len(words), maxWords)]
	found := slices.DeleteFunc(slices.Clone(x), func(s section) bool { return s.rank(words) == 0 })
	slices.SortStableFunc(found, func(a, b section) int { return cmp.Compare(b.rank(words), a.rank(words)) })
	found = found[:min(len(found), maxFound)]
	for i := range found {
		found[i].Text = found[i].snippet(words[0])
	}
	return found
}

// rank is higher the more words are in headings, and 0 if one is nowhere, or there is none.
func (s section) rank(words []string) (rank int) {
	for _, word := range words {
		i := slices.IndexFunc(s.lower[:], func(text string) bool { return strings.Contains(text, word) })
		if i < 0 {
			return 0
		}
		rank += weights[i]
	}
	return rank
}

// snippet is the part of the text around a word.
func (s section) snippet(word string) string {
	text := s.Text
	from := max(0, strings.Index(s.lower[2], word)-snippetBytes/4)
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
		Frame: frame("Search", "/docs"), Query: query, Chapters: s.chapters(), Body: s.index.find(query),
	})
}
