// Package vocabulary knows the words of packing lists: the concepts of headings in many
// languages, the rules that make fields of them, the labels of facts and the words of
// rows that are no lines. All of them are data: a new word is a line of a text file.
package vocabulary

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/quayside/quayside/shipments-svc/internal/reference"
)

// Concept is a set of meanings of words of a heading.
type Concept uint64

// concepts indexes the concepts by name.
var concepts = map[string]Concept{}

// The concepts that Go code names. Others are used by the rules only.
var (
	Pallet   = named("pallet")
	Pallets  = named("pallets") // several pallets, or their number
	Box      = named("box")
	Tray     = named("tray")
	Bag      = named("bag")
	Punnet   = named("punnet")
	Per      = named("per")
	Number   = named("number")
	ID       = named("id")
	Quantity = named("quantity")
	Net      = named("net")
	Gross    = named("gross")
	Weight   = named("weight")
	Unit     = named("unit")
	Total    = named("total")
	From     = named("from")
	Type     = named("type")
	Shipped  = named("shipped")
	Rejected = named("rejected")
	One      = named("one") // box rather than boxes
	id       = named("id")
	packed   = named("packed")
	piece    = named("piece")
	stop     = named("stop")
	unknown  = named("unknown")  // one unknown word
	unknowns = named("unknowns") // several
)

// named returns the concepts of names separated by spaces. A new name is a new concept.
func named(names string) (all Concept) {
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

//go:embed vocabulary.txt
var wordsText string

// meanings indexes the concepts by word or phrase; longest is the number of words of the longest phrase. Each concept
// has words, and words mean no others than those that headings.txt and Go code name.
var meanings, longest = func() (map[string]Concept, int) {
	all, most := map[string]Concept{}, 1
	_ = rules // which name concepts, and are therefore initialized before
	needed, worded := Concept(1)<<len(concepts)-1, unknown|unknowns
	for line := range records(wordsText) {
		head, words, _ := strings.Cut(line, ":")
		names, _, _ := strings.Cut(head, " ")
		means := named(strings.ReplaceAll(names, "+", " "))
		worded |= means
		for word := range strings.FieldsSeq(words) {
			phrase := Fold(strings.ReplaceAll(word, "_", " "))
			all[phrase] |= means
			most = max(most, strings.Count(phrase, " ")+1)
		}
	}
	for name, c := range concepts {
		if (needed&worded)&c == 0 {
			panic(fmt.Sprintf("the concept %q is in only one of vocabulary.txt and the rules of headings", name))
		}
	}
	return all, most
}()

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

// Rows returns the rows of a table: lines of cells between bars.
func Rows(text string) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		for line := range records(text) {
			all := strings.Split(line, "|")
			for i := range all {
				all[i] = strings.TrimSpace(all[i])
			}
			if !yield(all) {
				return
			}
		}
	}
}

var (
	// initials matches the letters of an abbreviation: G.W., N/W.
	initials = regexp.MustCompile(`\b\pL(?:[./-]\pL)+\b`)
	// camelCase matches the limit of words that are joined: "PalletNo", "NetW".
	camelCase = regexp.MustCompile(`(\p{Ll}{2})(\p{Lu})`)
	// letters are short for gross and net before a weight or beside a unit: "G. Weight", "Kgs. Gr.".
	letters = map[string]string{"g": "gross", "gr": "gross", "grs": "gross", "n": "net", "nt": "net"}
)

// Words returns the words of a heading, folded. An abbreviation is one word.
func Words(heading string) []string {
	heading = camelCase.ReplaceAllString(heading, "$1 $2")
	words := strings.Fields(Fold(initials.ReplaceAllStringFunc(heading, func(text string) string {
		return strings.NewReplacer(".", "", "/", "", "-", "").Replace(text)
	})))
	united := false
	for _, w := range words {
		united = united || meanings[w]&Unit != 0 && letters[w] == ""
	}
	for i, w := range words {
		if letters[w] != "" && (united || i+1 < len(words) && meanings[words[i+1]]&Weight != 0) {
			words[i] = letters[w]
		}
	}
	return words
}

// Of returns the concepts of a heading, and its unknown words. Words in other scripts
// are unknown only where no other word is known: headings are translated.
func Of(heading string) (all Concept, others []string) {
	words := Words(heading)
	var foreign []string
	for i := 0; i < len(words); {
		c, n := phrase(words[i:])
		switch {
		case c != 0:
		case Foreign(words[i]):
			foreign = append(foreign, words[i])
		default:
			others = append(others, words[i])
			c = similar(words[i])
		}
		all, i = all|c, i+n
	}
	if all &^= stop; all == 0 {
		others = append(others, foreign...)
	}
	return all, others
}

// phrase returns the concepts of the longest known phrase at the beginning of words, or
// of a word that consists of two known ones, and the number of words.
func phrase(words []string) (Concept, int) {
	for n := min(longest, len(words)); n > 0; n-- {
		if c, ok := meanings[strings.Join(words[:n], " ")]; ok {
			return c, n
		}
	}
	const least = 2 // letters of each, which are a number or a unit: Palettennummer, Nettomassa, BOXNO, KGNETO
	counts := func(c Concept) bool { return c&^(Number|Unit|id) == 0 }
	for i := len(words[0]) - least; i >= least; i-- {
		a, b := meanings[words[0][:i]], meanings[words[0][i:]]
		long := (i > least || counts(a)) && (i < len(words[0])-least || counts(b))
		if a&^stop != 0 && b&^stop != 0 && long {
			return a | b, 1
		}
	}
	return 0, 1
}

// single are the words of meanings that are no phrases, sorted.
var single = func() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(meanings)), func(word string) bool {
		return strings.ContainsRune(word, ' ')
	})
}()

// similar returns the concepts of the known words of which a word is an abbreviation, or that end otherwise:
// "calib", "variétés". It returns 0 if these have different concepts, and for a size and a variety.
func similar(word string) (all Concept) {
	const least, ending = 4, 2                       // letters of an abbreviation, and of an ending
	variety := reference.Variety([]string{word}) > 0 // Conference is no Conferente
	if len(word) < least || strings.ContainsAny(word, "0123456789") || Sized.MatchString(word) || variety {
		return 0
	}
	stem := word[:max(least, len(word)-ending)]
	for i, _ := slices.BinarySearch(single, stem); i < len(single) && strings.HasPrefix(single[i], stem); i++ {
		c := meanings[single[i]] &^ One
		if k := single[i]; !strings.HasPrefix(k, word) && (len(stem) == least || len(k) > len(stem)+ending) {
			continue
		} else if all != 0 && c != all {
			return 0
		}
		all = c
	}
	return all
}

// Foreign reports whether a text has letters of other scripts only.
func Foreign(text string) bool {
	latin, foreign := false, false
	for _, r := range text {
		latin = latin || unicode.Is(unicode.Latin, r)
		foreign = foreign || unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r)
	}
	return foreign && !latin
}

// IsA reports whether a text has a concept and, beside it, only some others.
func IsA(text string, has, others Concept) bool {
	all, unknown := Of(text)
	return all&has != 0 && all&^(has|others|One) == 0 && unknown == nil
}

// Fold returns a text in lower case without accents and punctuation, for comparison. "N°" and "#" become the word no, a
// slash the word per, and the sign of a currency the word price.
func Fold(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ReplaceAll(strings.ToLower(text), "n°", "no ")) {
		switch {
		case r == 'ı': // Turkish, which has no accent to lose
			b.WriteByte('i')
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		case strings.ContainsRune("#№°º", r):
			b.WriteString(" no ")
		case strings.ContainsRune("$€£", r):
			b.WriteString(" price ")
		case r == '/':
			b.WriteString(" per ")
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
