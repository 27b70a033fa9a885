// Package plaintext has the rule for texts of one line that clients write and
// people read, such as names, references and reasons.
//
// Such a text shows something, stays on its line, and looks like what it is.
package plaintext

import (
	"strings"
	"unicode"
)

// brailleBlank is a symbol without dots.
const brailleBlank = '\u2800'

// Control reports whether a character ends the line or controls a terminal: a
// control character, or a line or paragraph separator (U+2028, U+2029).
func Control(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp)
}

// ChangesDirection reports whether a character is one of Unicode's bidirectional
// controls, which make a text look like another (U+061C, U+200E, U+200F, U+202A
// to U+202E, U+2066 to U+2069).
func ChangesDirection(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }

// Refused reports whether no text may have the character.
func Refused(r rune) bool { return Control(r) || ChangesDirection(r) }

// Blank reports whether a text shows nothing: it has only space and invisible
// characters, such as U+200B. Control characters count as visible.
func Blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != brailleBlank &&
			!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	})
}

const (
	formula   = "=+-@\t\r＝＋－＠" // what a spreadsheet takes for the beginning of one
	separator = ",;|\t"        // what it may be set to take for the end of a cell, even within quotes
)

// Cell returns a text as a cell of CSV, with an apostrophe wherever a spreadsheet could take what follows for a
// formula, whatever it takes for the separator.
func Cell(s string) string {
	var cell strings.Builder
	begins := true
	for _, r := range s {
		if begins && strings.ContainsRune(formula, r) {
			cell.WriteByte('\'')
		}
		cell.WriteRune(r)
		begins = strings.ContainsRune(separator, r) || begins && (r == '"' || r == ' ')
	}
	return cell.String()
}
