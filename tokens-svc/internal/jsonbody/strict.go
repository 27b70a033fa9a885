package jsonbody

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
)

// loneSurrogate returns where in a valid JSON text an escape \uD800 to
// \uDFFF stands alone, or -1. encoding/json would read it as U+FFFD.
func loneSurrogate(text []byte) int64 {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' { // in valid JSON, only strings hold backslashes
			continue
		}
		unit, ok := escapedUnit(text[i:])
		switch {
		case !ok:
			i++ // the escaped character may be a backslash
		case !utf16.IsSurrogate(unit):
			i += escapeLen - 1
		default:
			low, _ := escapedUnit(text[i+escapeLen:])
			if utf16.DecodeRune(unit, low) == '\uFFFD' {
				return int64(i)
			}
			i += 2*escapeLen - 1
		}
	}
	return -1
}

const escapeLen = len(`\uXXXX`)

// escapedUnit reads the \uXXXX that text begins with.
func escapedUnit(text []byte) (rune, bool) {
	if len(text) < escapeLen || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:escapeLen]), 16, 16)
	return rune(unit), err == nil
}

// repeatedMember returns an error where an object of a valid JSON text has a
// member twice: readers differ in which of them counts, and someone who
// checks the one may use the other.
func repeatedMember(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var open []map[string]bool // the members of each open object; nil for an array
	name := false              // whether the next token is a member's name
	for dec.More() || len(open) > 0 {
		token, err := dec.Token()
		if err != nil {
			return syntaxError(err)
		}
		if member, ok := token.(string); ok && name {
			if members := open[len(open)-1]; members[member] {
				return &SyntaxError{Reason: fmt.Sprintf("the member %s is given twice", quote(member)), Offset: dec.InputOffset()}
			}
			open[len(open)-1][member] = true
			name = false
			continue
		}
		switch token {
		case json.Delim('{'):
			open = append(open, map[string]bool{})
		case json.Delim('['):
			open = append(open, nil)
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		name = len(open) > 0 && open[len(open)-1] != nil
	}
	return nil
}
