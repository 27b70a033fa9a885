package tokens

import (
	"errors"
	"fmt"
	"strings"
)

// What can go wrong, apart from input. Test with errors.Is.
var (
	// ErrNotFound says that there is no such organization, or no such token in
	// that organization. A token of another organization is not found either.
	ErrNotFound = errors.New("not found")
	// ErrExists says that the identifier is taken.
	ErrExists = errors.New("exists already")
	// ErrUnavailable says that the storage cannot be asked now; the same call
	// may succeed later.
	ErrUnavailable = errors.New("the token store is not available")
)

// ValidationError says all that is wrong with an input. Nothing was done.
type ValidationError struct {
	Fields []FieldError
}

// FieldError says what is wrong with one field.
type FieldError struct {
	Field  string // as it is called in JSON: "expires_at"
	Detail string // a sentence without its full stop; ends up on screens
}

// Error implements error.
func (e *ValidationError) Error() string {
	texts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		texts[i] = f.Field + ": " + f.Detail
	}
	return strings.Join(texts, "; ")
}

// add notes one more fault.
func (e *ValidationError) add(field, format string, args ...any) {
	e.Fields = append(e.Fields, FieldError{Field: field, Detail: fmt.Sprintf(format, args...)})
}

// orNil returns e if it holds a fault.
func (e *ValidationError) orNil() error {
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}
