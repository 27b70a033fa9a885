package jsonbody

import (
	"slices"
	"strconv"
	"strings"
)

const (
	maxQuoted  = 40 // code points of a client's own name that an answer repeats
	maxMistake = 0.5
)

// reportUnknown makes a fault of each member that was not asked for.
func (o *Object) reportUnknown() {
	for _, m := range o.members {
		if slices.Contains(o.asked, m.name) {
			continue
		}
		if len(o.body.faults) == maxFaults {
			return
		}
		o.body.add(UnknownField, o.pointer+"/"+escapePointer(m.name), "%s", Unknown("member", m.name, o.asked))
	}
}

// Unknown says that name is none of the known names of its kind, and which
// of them is probably meant or, when none is near, which there are.
func Unknown(kind, name string, known []string) string {
	text := "there is no " + kind + " " + quote(name)
	if near := Nearest(name, known); near != "" {
		return text + "; did you mean " + quote(near) + "?"
	}
	if len(known) == 0 {
		return text + "; there is none here"
	}
	return text + "; there is " + strings.Join(known, ", ")
}

// Nearest returns the known name that takes the fewest edits to reach from
// name, or "" when that is more than half of the longer one's length.
func Nearest(name string, known []string) string {
	best, fewest := "", 0
	for _, candidate := range known {
		longest := max(len(name), len(candidate))
		if longest > 2*maxQuoted {
			continue
		}
		edits := distance(strings.ToLower(name), candidate)
		if float64(edits) <= maxMistake*float64(longest) && (best == "" || edits < fewest) {
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

// quote shows a name that a client made up, cut to a sane length.
func quote(name string) string {
	if runes := []rune(name); len(runes) > maxQuoted {
		name = string(runes[:maxQuoted]) + "…"
	}
	return strconv.Quote(name)
}
