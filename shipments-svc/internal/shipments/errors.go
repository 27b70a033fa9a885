package shipments

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNotFound means that the organization has no such shipment. The error does
// not reveal whether another organization has it.
var ErrNotFound = errors.New("no such shipment")

// ErrUnavailable means that a dependency is not available. The request is valid
// and can be retried.
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
	Pointer string // RFC 6901, from the root of the input
	Detail  string // for people
}

// FaultCode names a kind of fault. Codes are part of the public interface.
type FaultCode string

// The kinds of faults.
const (
	Required       FaultCode = "required"         // missing, or nothing but space
	TooLong        FaultCode = "too_long"         // more code points than allowed
	InvalidText    FaultCode = "invalid_text"     // control or bidirectional control characters, or not UTF-8
	InvalidType    FaultCode = "invalid_type"     // not the JSON type of the member
	InvalidValue   FaultCode = "invalid_value"    // the right type, but not one of what is allowed
	OutOfRange     FaultCode = "out_of_range"     // a number or time beyond its bounds
	UnknownField   FaultCode = "unknown_field"    // a member that does not exist
	TooManyPallets FaultCode = "too_many_pallets" // beyond MaxPallets, MaxLines or MaxBytes

	TooManyDocuments    FaultCode = "too_many_documents"   // more than MaxDocuments
	UnsupportedDocument FaultCode = "unsupported_document" // a file of a kind that is not taken
)
