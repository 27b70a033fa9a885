// Package vocabulary knows the words of packing lists: the concepts of headings in ten
// languages, the rules that make fields of them, the labels of facts and the words of
// rows that are no lines. All of them are data: a new word is a line of a text file.
package vocabulary

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Concept is a set of meanings of words of a heading.
type Concept uint64

// The concepts that Go code names. Others are used by the rules only.
const (
	Pallet  Concept = 1 << iota
	Pallets         // plural: their number rather than a pallet number
	Number
	Quantity
	Box
	Per
	Net
	Gross
	Weight
	Unit
	Type
	Total
	Tray
	ID // a label rather than a number
	Rejected
	stop
)

// concepts indexes the concepts by name.
var concepts = map[string]Concept{
	"pallet": Pallet, "pallets": Pallets, "number": Number, "quantity": Quantity, "box": Box, "per": Per, "net": Net,
	"gross":  Gross,
	"weight": Weight, "unit": Unit, "type": Type, "total": Total, "tray": Tray, "id": ID, "rejected": Rejected,
	"stop": stop,
}

//go:embed vocabulary.txt
var wordsText string

// meanings indexes the concepts by word or phrase; longest is the number of words of the
// longest phrase.
var meanings, longest = readWords(wordsText)

func readWords(text string) (map[string]Concept, int) {
	all, most := map[string]Concept{}, 1
	for line := range records(text) {
		head, words, _ := strings.Cut(line, ":")
		names, _, _ := strings.Cut(head, " ")
		means := conceptsNamed(strings.ReplaceAll(names, "+", " "))
		for word := range strings.FieldsSeq(words) {
			phrase := Fold(strings.ReplaceAll(word, "_", " "))
			all[phrase] |= means
			most = max(most, strings.Count(phrase, " ")+1)
		}
	}
	return all, most
}

// conceptsNamed returns the concepts of names separated by spaces. A new name is a new
// concept.
func conceptsNamed(names string) (all Concept) {
	for name := range strings.FieldsSeq(names) {
		c, ok := concepts[name]
		if !ok {
			c = Concept(1) << len(concepts)
			if c == 0 {
				panic(fmt.Sprintf("%q is one concept too many", name))
			}
			concepts[name] = c
		}
		all |= c
	}
	return all
}

// records returns the lines of a text that are not empty or comments.
func records(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

// initials matches the letters of an abbreviation: G.W., N/W.
var initials = regexp.MustCompile(`\b\pL(?:[./-]\pL)+\b`)

// camelCase matches the limit of words that are joined: "PalletNo", "NetW".
var camelCase = regexp.MustCompile(`(\p{Ll}{2})(\p{Lu})`)

// grossLetters are abbreviations of gross, some of which also are of grams.
var grossLetters = []string{"g", "gr", "grs"}

// Words returns the words of a heading, folded. Abbreviations are one word, and the
// letters of gross and net before a weight, or beside a unit, are these words:
// "G. Weight", "Kgs. Gr.".
func Words(heading string) []string {
	heading = camelCase.ReplaceAllString(heading, "$1 $2")
	words := strings.Fields(Fold(initials.ReplaceAllStringFunc(heading, func(text string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return r
			}
			return -1
		}, text)
	})))
	united := slices.ContainsFunc(
		words,
		func(w string) bool { return meanings[w]&Unit != 0 && !slices.Contains(grossLetters, w) },
	)
	for i, w := range words {
		weight := i+1 < len(words) && meanings[words[i+1]]&Weight != 0
		switch {
		case slices.Contains(grossLetters, w) && (weight || united):
			words[i] = "gross"
		case (w == "n" || w == "nt") && (weight || united):
			words[i] = "net"
		}
	}
	return words
}

// Of returns the concepts of a heading, and its unknown words. Words in other scripts
// are unknown only where no other word is known: headings are translated.
func Of(heading string) (all Concept, unknown []string) {
	words := Words(heading)
	var foreign []string
next:
	for i := 0; i < len(words); {
		for n := min(longest, len(words)-i); n > 0; n-- {
			if c, ok := meanings[strings.Join(words[i:i+n], " ")]; ok {
				all |= c
				i += n
				continue next
			}
		}
		if c := compound(words[i]); c != 0 {
			all |= c
		} else if latin(words[i]) {
			all |= misspelt(words[i])
			unknown = append(unknown, words[i])
		} else {
			foreign = append(foreign, words[i])
		}
		i++
	}
	if all &^= stop; all == 0 {
		unknown = append(unknown, foreign...)
	}
	return all, unknown
}

// compound returns the concepts of a word that consists of two known ones: Palettennummer,
// Nettomassa, BOXNO.
func compound(word string) Concept {
	const first, second = 3, 2 // letters at least
	for i := len(word) - second; i >= first; i-- {
		if a, b := meanings[word[:i]], meanings[word[i:]]; a&^stop != 0 && b&^stop != 0 {
			return a | b
		}
	}
	return 0
}

// long has the known words that may be misspelt, by their first letter.
var long = func() map[byte][]string {
	all := map[byte][]string{}
	for word := range meanings {
		if len(word) >= shortest && !strings.Contains(word, " ") && meanings[word]&Unit == 0 {
			all[word[0]] = append(all[word[0]], word)
		}
	}
	return all
}()

// shortest is the least length of a word that may be misspelt: by one letter, from
// longWord by two.
const shortest, longWord = 5, 7

// misspelt returns the concepts of the known word that differs least from a word, if it is
// the only one.
func misspelt(word string) (c Concept) {
	if len(word) < shortest || strings.ContainsAny(word, "0123456789") {
		return 0
	}
	least := 2
	if len(word) >= longWord {
		least = 3
	}
	for _, known := range long[word[0]] {
		switch d := distance(word, known, least); {
		case d < least:
			least, c = d, meanings[known]
		case d == least && meanings[known] != c:
			c = 0
		}
	}
	return c
}

// distance returns how many letters are changed, added, left out or exchanged between two
// words, or more than most.
func distance(a, b string, most int) int {
	if max(len(a)-len(b), len(b)-len(a)) > most {
		return most + 1
	}
	before, last, row := []int(nil), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			changed := last[j]
			if a[i] != b[j] {
				changed++
			}
			row[j+1] = min(changed, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, make([]int, len(b)+1)
	}
	return last[len(b)]
}

// Foreign reports whether a text has letters of other scripts only.
func Foreign(text string) bool {
	return !latin(text) && !strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Latin, r) })
}

func latin(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) })
}

// IsA reports whether a text has a concept and, beside it, only some others.
func IsA(text string, has, others Concept) bool {
	all, unknown := Of(text)
	return all&has != 0 && all&^(has|others) == 0 && unknown == nil
}

// Fold returns a text in lower case without accents and punctuation, for
// comparison. "N°" and "#" become the word no, a slash the word per, and the sign
// of a currency the word price.
func Fold(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ReplaceAll(strings.ToLower(text), "n°", "no ")) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		case r == '#' || r == '№' || r == '°' || r == 'º':
			b.WriteString(" no ")
		case r == '$' || r == '€' || r == '£':
			b.WriteString(" price ")
		case r == '/':
			b.WriteString(" per ")
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
