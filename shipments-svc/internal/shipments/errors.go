package shipments

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNotFound says that the organization has no such shipment. Whether
// another one has it cannot be told from the error.
var ErrNotFound = errors.New("no such shipment")

// ErrUnavailable says that the data cannot be reached now: nothing is wrong
// with the request, and it may succeed later.
var ErrUnavailable = errors.New("the data is unavailable for now")

// Invalid is the error of input that breaks rules: all that is wrong with it.
type Invalid struct {
	Faults []Fault
}

// Error implements error.
func (e *Invalid) Error() string {
	texts := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		texts[i] = fmt.Sprintf("%s: %s", f.Pointer, f.Detail)
	}
	return strings.Join(texts, "; ")
}

// Fault is one thing that is wrong with input.
type Fault struct {
	Code    FaultCode
	Pointer string // RFC 6901, from the root of what was judged
	Detail  string // for people
}

// FaultCode names a kind of fault. Codes are part of the public interface.
type FaultCode string

// The kinds of faults.
const (
	Required       FaultCode = "required"         // missing, or nothing but space
	TooLong        FaultCode = "too_long"         // more code points than allowed
	InvalidText    FaultCode = "invalid_text"     // control or bidirectional control characters, or not UTF-8
	InvalidType    FaultCode = "invalid_type"     // another JSON type than asked for
	InvalidValue   FaultCode = "invalid_value"    // the right type, but not one of what is allowed
	OutOfRange     FaultCode = "out_of_range"     // a number or time beyond its bounds
	UnknownField   FaultCode = "unknown_field"    // a member that does not exist
	TooManyPallets FaultCode = "too_many_pallets" // more than MaxPallets

	TooManyDocuments    FaultCode = "too_many_documents"   // more than MaxDocuments
	UnsupportedDocument FaultCode = "unsupported_document" // a file of a kind that is not taken
)

// Merge joins the faults found while input was read with those that its
// values then showed. A place whose reading failed has no value to judge, so
// later faults at or beneath it are left out.
func Merge(reading, judging []Fault) []Fault {
	merged := reading
	for _, f := range judging {
		if !covered(reading, f.Pointer) {
			merged = append(merged, f)
		}
	}
	return merged
}

func covered(faults []Fault, pointer string) bool {
	for _, f := range faults {
		if rest, ok := strings.CutPrefix(pointer, f.Pointer); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}
