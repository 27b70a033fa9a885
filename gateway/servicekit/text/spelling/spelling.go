// Package spelling writes error texts for unknown names, with the known name
// that was probably meant.
package spelling

import (
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
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
		edits := levenshtein.ComputeDistance(strings.ToLower(name), string(candidate))
		if float64(edits) <= maxTypos*float64(longest) && (best == "" || edits < fewest) {
			best, fewest = candidate, edits
		}
	}
	return best
}

// Quote quotes a client's name, cut to 40 code points.
func Quote(name string) string {
	if runes := []rune(name); len(runes) > maxQuoted {
		name = string(runes[:maxQuoted]) + "…"
	}
	return strconv.Quote(name)
}
