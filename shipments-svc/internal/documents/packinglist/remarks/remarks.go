// Package remarks collects what the stages of reading remark. The remarks are data: a rule
// has an id and a text in remarks.txt.
package remarks

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

//go:embed remarks.txt
var table string

// rule is a row of remarks.txt.
type rule struct {
	text         string
	doubt, value bool
}

var rules = func() map[string]rule {
	all := map[string]rule{}
	for c := range vocabulary.Rows(table) {
		if strings.Trim(strings.NewReplacer("doubt", "", "value", "").Replace(c[1]), " ") != "" {
			panic(fmt.Sprintf("remarks.txt: %s says %q", c[0], c[1]))
		}
		all[c[0]] = rule{c[2], strings.Contains(c[1], "doubt"), strings.Contains(c[1], "value")}
	}
	return all
}()

// IsRule reports whether a rule has this id.
func IsRule(id string) bool { _, ok := rules[id]; return ok }

// Doubts reports whether a rule says that a row or column may be read wrong.
func Doubts(id string) bool { return rules[id].doubt }

// OfValue reports whether a rule says that an amount is missing or invalid.
func OfValue(id string) bool { return rules[id].value }

// List is the remarks of a stage.
type List struct {
	Stage string
	All   []list.Remark
}

// MaxText is the maximum length of a remark in characters.
const MaxText = 300

// Add adds the remark of a rule.
func (l *List) Add(id string, at tables.Place, args ...any) {
	l.Note(id, at, fmt.Sprintf(rules[id].text, args...))
}

// Note adds a remark with a text of its own.
func (l *List) Note(id string, at tables.Place, text string) {
	if len(l.All) > list.MaxRemarks { // one more, so that the end is noticed
		return
	}
	code, _, _ := strings.Cut(id, "/")
	text, _ = Shortened(text, MaxText)
	l.All = append(l.All, list.Remark{Code: code, Stage: l.Stage, Rule: id, Text: text, Place: at})
}

// Shortened returns the first limit characters of a text, and whether it had more.
func Shortened(text string, limit int) (string, bool) {
	n := 0
	for i := range text {
		if n == limit {
			return text[:i], true
		}
		n++
	}
	return text, false
}
