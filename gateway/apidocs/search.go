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
	page, heading, text     string // the same in lower case
}

func (x *index) append(s section) {
	s.Text = strings.Join(strings.Fields(s.Text), " ")
	s.page, s.heading, s.text = strings.ToLower(s.Page), strings.ToLower(s.Heading), strings.ToLower(s.Text)
	*x = append(*x, s)
}

// add adds the sections of a page: each begins at a heading with an id.
func (x *index) add(path, title string, content []byte) {
	now := section{To: path, Page: title}
	inMain, inHeading := false, false
	for z := html.NewTokenizer(bytes.NewReader(content)); z.Next() != html.ErrorToken; {
		token := z.Token()
		starts := token.Type == html.StartTagToken
		switch {
		case token.DataAtom == atom.Main:
			inMain = starts
		case !inMain:
		case token.DataAtom == atom.H2 || token.DataAtom == atom.H3:
			if inHeading = starts; starts {
				x.append(now)
				now = section{To: path + "#" + id(token), Page: title}
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

// id is the id of an element.
func id(token html.Token) string {
	for _, attribute := range token.Attr {
		if attribute.Key == "id" {
			return attribute.Val
		}
	}
	return ""
}

const (
	maxFound     = 30
	snippetBytes = 160
)

// find returns the sections that have all words, those with them in headings first, and what stands around the first
// word in their texts.
func (x index) find(query string) (found []section) {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return nil
	}
	ranks := map[string]int{}
	for _, s := range x {
		if rank := s.rank(words); rank > 0 {
			ranks[s.To] = rank
			s.Text = s.snippet(words[0])
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b section) int { return cmp.Compare(ranks[b.To], ranks[a.To]) })
	return found[:min(len(found), maxFound)]
}

// rank is higher the more words are in headings, and 0 if one is nowhere.
func (s section) rank(words []string) (rank int) {
	for _, word := range words {
		switch {
		case strings.Contains(s.page, word):
			rank += 8
		case strings.Contains(s.heading, word):
			rank += 4
		case strings.Contains(s.text, word):
			rank++
		default:
			return 0
		}
	}
	return rank
}

// snippet is the part of the text around a word.
func (s section) snippet(word string) string {
	text := s.Text
	from := max(0, strings.Index(s.text, word)-snippetBytes/4)
	text = strings.ToValidUTF8(text[min(from, len(text)):min(from+snippetBytes, len(text))], "")
	if from > 0 {
		text = "… " + text
	}
	return text + " …"
}

// search shows what is found for the parameter q.
func (s *site) search(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query().Get("q")
	title := "Search"
	if query != "" {
		title = "Search: " + query
	}
	s.write(w, "search", page{Frame: frame(title, ""), Query: query, Body: s.index.find(query)})
}
