// Package jsonbody reads the JSON bodies of requests strictly, and reports all
// that is wrong with one at once.
//
// Guarantees: a body that is not exactly one JSON value in valid UTF-8 is refused
// with the offset of the fault, and so are an object that has a member twice and
// half of a surrogate pair, which other readers silently replace; a body with more
// parts, deeper nesting or longer values than any request needs is refused while
// it is read; an unknown member is a fault that names the nearest known one; every
// text is in Unicode's normalization form C, without space around it.
//
// A reader asks an Object for the members it knows, gets zero values where
// they are missing or wrong, and in the end asks for the Faults.
package jsonbody

import (
	"fmt"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/problem"
)

// The codes of the faults. UnknownField is for those who tell misspelt bodies
// from wrong ones.
const (
	UnknownField = "unknown_field" // a member that does not exist
	required     = "required"
	invalidType  = "invalid_type"  // another JSON type than asked for
	invalidValue = "invalid_value" // the right type, but not what is allowed
	outOfRange   = "out_of_range"  // more parts than a body may have
	tooLong      = "too_long"      // a value or a name
)

// maxFaults bounds how many faults one body is told, so that a body made of
// nothing but faults gets no larger answer than it is worth.
const maxFaults = 50

// SyntaxError says that a body is not JSON as this package wants it.
type SyntaxError struct {
	Reason string
	Offset int64 // the number of bytes up to and including the one at fault
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s, at offset %d", e.Reason, e.Offset)
}

// Body is a JSON text that is being read.
type Body struct {
	root    raw
	objects []*Object // in the order in which they were opened
	faults  []problem.Field
}

// Object returns the body as an object. When it is something else, that is a
// fault, and the object is empty.
func (b *Body) Object() *Object {
	return b.open(b.root, "the body")
}

// Faults returns what was wrong in the order of reading, then the members
// that nobody asked for; at most 50 in all.
func (b *Body) Faults() []problem.Field {
	for _, o := range b.objects {
		o.reportUnknown()
	}
	b.objects = nil
	return b.faults
}

func (b *Body) add(code, pointer, format string, args ...any) {
	if len(b.faults) < maxFaults {
		b.faults = append(b.faults, problem.Field{Code: code, Pointer: pointer, Detail: fmt.Sprintf(format, args...)})
	}
}

// kind is how a value is called in an answer.
func (r raw) kind() string {
	switch r.first {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	default:
		return "a number"
	}
}

// escapePointer makes a member's name a part of an RFC 6901 pointer.
func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
