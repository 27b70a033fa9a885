package jsonbody

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/gateway/servicekit/text/spelling"
)

// Limits of every body.
const (
	maxDepth   = 32    // objects and arrays within each other
	maxMembers = 1_000 // of one object
	maxName    = 200   // bytes of a member's name, as it is written
)

// Limits bound a body, so that its memory is bounded.
type Limits struct {
	Elements int // of one array
	Values   int // in all; 0: ten times Elements, and 1,000
	Scalar   int // bytes of a string or number, as it is written; 0: 64 KiB
	// Long is the pointer of the one string that may be longer.
	Long string
}

// Parse reads a whole body. The Body refers to text. Its error is a *SyntaxError
// or a *LimitError.
func Parse(text []byte, l Limits) (*Body, error) {
	if l.Values == 0 {
		l.Values = 10*l.Elements + maxMembers
	}
	if l.Scalar == 0 {
		l.Scalar = 64 << 10
	}
	p := parser{dec: jsontext.NewDecoder(bytes.NewBuffer(text)), text: text, limits: l, left: l.Values}
	root, err := p.value()
	if err != nil {
		return nil, p.failure(err)
	}
	if _, err := p.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, &SyntaxError{"there is something after the value", p.dec.InputOffset()}
	}
	return &Body{root: root}, nil
}

// value is a value of a body.
type value struct {
	kind  jsontext.Kind
	text  []byte  // of a string, number, boolean or null, as it is written
	parts []value // members or elements
	name  string  // of a member
}

// parser reads a text into values.
type parser struct {
	dec    *jsontext.Decoder
	text   []byte
	limits Limits
	left   int // values that the body may still have
}

func (p *parser) value() (value, error) {
	v := value{kind: p.dec.PeekKind()}
	p.left--
	switch {
	case p.left < 0:
		return v, beyondLimit(OutOfRange, "", "the body holds more values than are read")
	case v.kind == '{':
		return p.parts(v, maxMembers)
	case v.kind == '[':
		return p.parts(v, p.limits.Elements)
	}
	text, err := p.dec.ReadValue()
	if err != nil {
		return v, err
	}
	if len(text) > p.limits.Scalar && string(p.dec.StackPointer()) != p.limits.Long {
		return v, beyondLimit(TooLong, p.dec.StackPointer(), "the value has more than %d bytes", p.limits.Scalar)
	}
	end := p.dec.InputOffset()
	v.text = p.text[end-int64(len(text)) : end] // not text, which the decoder overwrites
	return v, nil
}

// parts reads an object or an array with at most so many members or elements.
func (p *parser) parts(v value, most int) (value, error) {
	if p.dec.StackDepth() == maxDepth {
		return v, &SyntaxError{fmt.Sprintf("it is nested more than %d levels deep", maxDepth), p.dec.InputOffset() + 1}
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return v, err
	}
	for end := v.kind + 2; p.dec.PeekKind() != end; { // in ASCII, ] and } come two after [ and {
		var name value
		if v.kind == '{' {
			text, err := p.dec.ReadValue()
			if err != nil {
				return v, err
			}
			if len(text) > maxName {
				var at jsontext.Pointer
				if len(text) <= p.limits.Scalar { // a pointer copies the name
					at = p.dec.StackPointer().Parent()
				}
				return v, beyondLimit(TooLong, at, "a member's name has more than %d bytes", maxName)
			}
			name.text = text
		}
		if len(v.parts) == most {
			return v, beyondLimit(OutOfRange, p.dec.StackPointer().Parent(), "there are more than %d members or elements", most)
		}
		unquoted := name.string()
		part, err := p.value()
		if err != nil {
			return v, err
		}
		part.name = unquoted
		v.parts = append(v.parts, part)
	}
	_, err := p.dec.ReadToken()
	return v, err
}

// string returns the content of a string.
func (v value) string() string {
	text, _ := jsontext.AppendUnquote(nil, v.text) // the decoder has validated it
	return string(text)
}

func beyondLimit(code string, at jsontext.Pointer, format string, most ...any) error {
	return &LimitError{Fault{Code: code, Pointer: string(at), Detail: fmt.Sprintf(format, most...)}}
}

// failure translates an error of the decoder.
func (p *parser) failure(err error) error {
	fault, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &SyntaxError{"it ends early", int64(len(p.text))}
	case !ok:
		return err
	case errors.Is(err, jsontext.ErrDuplicateName):
		name := spelling.Quote(fault.JSONPointer.LastToken())
		return &SyntaxError{"the member " + name + " is given twice", fault.ByteOffset + 1}
	}
	return &SyntaxError{fault.Err.Error(), fault.ByteOffset + 1}
}
