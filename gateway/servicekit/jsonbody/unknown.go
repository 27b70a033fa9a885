package jsonbody

import (
	"slices"
	"strconv"
	"strings"
)

const (
	maxQuoted  = 40  // code points of a client's name that a fault repeats
	maxMistake = 0.5 // edits, as a share of the longer name
)

// reportUnknown adds a fault for each member that was not read.
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

// Unknown is the detail of a fault: name is not among the known names of its kind.
// It suggests the nearest one or, if none is near, lists all.
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

// Nearest returns the known name with the smallest edit distance, or "" if that is
// more than half of the longer name.
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

// quote quotes a client's name, cut to maxQuoted.
func quote(name string) string {
	if runes := []rune(name); len(runes) > maxQuoted {
		name = string(runes[:maxQuoted]) + "…"
	}
	return strconv.Quote(name)
}
