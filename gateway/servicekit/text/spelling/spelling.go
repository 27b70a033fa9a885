// Package spelling writes error texts for unknown names, with the known name
// that was probably meant. It needs the standard library only.
package spelling

import (
	"strconv"
	"strings"
)

const (
	maxQuoted = 40  // code points of a client's name that a text repeats
	maxTypos  = 0.5 // edits, as a share of the longer name
)

// Unknown is the detail of a fault: name is not among the known names of its kind.
// It suggests the nearest one or, if none is near, lists all.
func Unknown(kind, name string, known []string) string {
	text := "there is no " + kind + " " + Quote(name)
	if near := Nearest(name, known); near != "" {
		return text + "; did you mean " + Quote(near) + "?"
	}
	if len(known) == 0 {
		return text + "; there is none here"
	}
	return text + "; there is " + strings.Join(known, ", ")
}

// Nearest returns the known name with the smallest edit distance, or "" if that is
// more than half of the longer name.
func Nearest[T ~string](name string, known []T) (best T) {
	fewest := 0
	for _, candidate := range known {
		longest := max(len(name), len(candidate))
		if longest > 2*maxQuoted {
			continue
		}
		edits := distance(strings.ToLower(name), string(candidate))
		if float64(edits) <= maxTypos*float64(longest) && (best == "" || edits < fewest) {
			best, fewest = candidate, edits
		}
	}
	return best
}

// distance is the Levenshtein distance of two texts, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Quote quotes a client's name, cut to 40 code points.
func Quote(name string) string {
	if runes := []rune(name); len(runes) > maxQuoted {
		name = string(runes[:maxQuoted]) + "…"
	}
	return strconv.Quote(name)
}
