// Package jsonbody reads the JSON bodies of requests strictly, and reports all
// faults of a body at once.
//
// Guarantees: a body that is not exactly one JSON value in valid UTF-8 is refused
// with the offset of the fault, and so are an object with duplicate members and
// unpaired surrogates, which other readers silently replace; a body with more
// values, deeper nesting or longer texts than its Limits is refused while it is
// read, so memory does not grow with what is sent; an unknown member is a fault
// that names the nearest known one; every fault has a JSON pointer (RFC 6901).
//
// encoding/json/v2 and go-json-experiment stop at the first fault when they decode
// into structs, also in strict mode, and allocate arrays before their length can be
// refused. So only their tokenizer, jsontext, is used here.
//
// A reader reads the members that it knows from an Object, gets zero values where
// they are missing or of another type, and finally calls Faults.
package jsonbody

import (
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
)

// The codes of faults.
const (
	UnknownField = "unknown_field" // a member that does not exist
	Required     = "required"      // a missing member
	InvalidType  = "invalid_type"  // another JSON type
	InvalidValue = "invalid_value" // the right type, but not an allowed value
	OutOfRange   = "out_of_range"  // a number or a count outside its bounds
	TooLong      = "too_long"      // a value or a name
)

// maxFaults bounds the faults of one body.
const maxFaults = 50

// Fault is one fault of a body, with one of the codes above.
type Fault = problem.Field

// LimitError is the error of a body that exceeds its Limits.
type LimitError struct{ Fault }

// Error implements error.
func (e *LimitError) Error() string { return e.Pointer + ": " + e.Detail }

// SyntaxError is the error of a body that is not strict JSON.
type SyntaxError struct {
	Reason string
	Offset int64 // the number of bytes up to and including the one at fault
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("the body is not JSON: %s, at offset %d", e.Reason, e.Offset)
}

// Body is a parsed JSON text.
type Body struct {
	root    value
	objects []*Object // in the order in which they were read
	faults  []Fault
}

// Object returns the body as an object. When it is something else, that is a
// fault, and the object is empty.
func (b *Body) Object() *Object { return b.object(b.root, "", "the body") }

// object returns a value as an object.
func (b *Body) object(v value, at, name string) *Object {
	o := &Object{body: b, at: at, members: v.parts}
	if v.kind != '{' {
		b.add(InvalidType, at, name+" must be an object, not "+types[v.kind])
		return &Object{body: b, at: at, absent: true}
	}
	b.objects = append(b.objects, o)
	return o
}

// Faults returns the faults in the order of reading, then the members that were
// not read; at most 50 in all. It returns nil if there are none.
func (b *Body) Faults() []Fault {
	for _, o := range b.objects {
		o.reportUnknown()
	}
	b.objects = nil
	return b.faults
}

func (b *Body) add(code, at, detail string) {
	if len(b.faults) < maxFaults {
		b.faults = append(b.faults, Fault{Code: code, Pointer: at, Detail: detail})
	}
}
