package jsonbody

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/gateway/servicekit/problem"
)

// Bounds of every body. What is beyond them is refused while it is read, so that
// a body takes memory in proportion to what may be asked.
const (
	maxDepth    = 32       // objects and arrays within each other
	maxMembers  = 1_000    // of one object
	maxElements = 1_000    // of one array
	maxValues   = 5_000    // in all
	maxName     = 200      // bytes of a member's name
	maxScalar   = 16 << 10 // bytes of a string or number, as it is written
)

var longName = fmt.Sprintf("a member's name has more than %d bytes", maxName)

// LimitError says that a body is beyond the bounds.
type LimitError struct{ problem.Field }

// Error implements error.
func (e *LimitError) Error() string { return e.Pointer + ": " + e.Detail }

// Parse reads a whole body. It refers to text until the Body is no longer used.
// Its error is a *SyntaxError or a *LimitError.
func Parse(text []byte) (*Body, error) {
	if len(text) == 0 {
		return nil, &SyntaxError{Reason: "the body is empty"}
	}
	p := parser{dec: jsontext.NewDecoder(bytes.NewBuffer(text)), text: text, left: maxValues}
	root, err := p.value()
	if err != nil {
		return nil, p.failure(err)
	}
	switch _, err := p.dec.ReadToken(); {
	case err == nil:
		return nil, &SyntaxError{Reason: "the body is not JSON: there is something after the value", Offset: p.dec.InputOffset()}
	case !errors.Is(err, io.EOF):
		return nil, p.failure(err)
	}
	return &Body{root: root}, nil
}

// raw is a value of a body.
type raw struct {
	first    byte   // of its text
	text     []byte // of a string, number, boolean or null, as it is written
	members  []member
	elements []raw
	pointer  string // once it is known
}

type member struct {
	name  string
	value raw
}

// parser reads a text into values.
type parser struct {
	dec  *jsontext.Decoder
	text []byte
	left int // values that the body may still have
}

func (p *parser) value() (raw, error) {
	if p.left--; p.left < 0 {
		return raw{}, tooMuch(outOfRange, "", "the body holds more values than are read")
	}
	first := byte(p.dec.PeekKind())
	switch first {
	case '{', '[':
		if p.dec.StackDepth() == maxDepth {
			return raw{}, &SyntaxError{Reason: fmt.Sprintf("the body is nested more than %d levels deep", maxDepth), Offset: p.dec.InputOffset() + 1}
		}
		if _, err := p.dec.ReadToken(); err != nil {
			return raw{}, err
		}
		v := raw{first: first}
		for kind := p.dec.PeekKind(); kind != '}' && kind != ']'; kind = p.dec.PeekKind() {
			if err := p.part(&v); err != nil {
				return raw{}, err
			}
		}
		_, err := p.dec.ReadToken()
		return v, err
	default:
		value, err := p.dec.ReadValue()
		if err != nil {
			return raw{}, err
		}
		if len(value) > maxScalar {
			return raw{}, tooMuch(tooLong, string(p.dec.StackPointer()), fmt.Sprintf("the value has more than %d bytes", maxScalar))
		}
		end := p.dec.InputOffset()
		return raw{first: value[0], text: p.text[end-int64(len(value)) : end]}, nil
	}
}

// part reads a member of an object or an element of an array.
func (p *parser) part(of *raw) error {
	if of.first == '[' {
		if len(of.elements) == maxElements {
			return tooMuch(outOfRange, p.parent(), fmt.Sprintf("the array has more than %d elements", maxElements))
		}
		v, err := p.value()
		of.elements = append(of.elements, v)
		return err
	}
	name, err := p.dec.ReadToken()
	if err != nil {
		return err
	}
	text := name.String()
	switch {
	case len(of.members) == maxMembers:
		return tooMuch(outOfRange, p.parent(), fmt.Sprintf("the object has more than %d members", maxMembers))
	case len(text) > maxName:
		return tooMuch(tooLong, p.parent(), longName)
	}
	v, err := p.value()
	of.members = append(of.members, member{text, v})
	return err
}

// parent points to the object or array whose part was read last.
func (p *parser) parent() string { return string(p.dec.StackPointer().Parent()) }

func tooMuch(code, pointer, detail string) error {
	return &LimitError{problem.Field{Code: code, Pointer: pointer, Detail: detail}}
}

// failure says in this package's terms why a text could not be read.
func (p *parser) failure(err error) error {
	if fault, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		switch {
		case errors.Is(fault.Err, jsontext.ErrDuplicateName):
			return &SyntaxError{
				Reason: fmt.Sprintf("the member %s is given twice", quote(fault.JSONPointer.LastToken())), Offset: fault.ByteOffset + 1,
			}
		case errors.Is(fault.Err, io.ErrUnexpectedEOF):
			return &SyntaxError{Reason: "the body is not JSON: it ends early", Offset: int64(len(p.text))}
		case strings.Contains(fault.Err.Error(), "invalid UTF-8"):
			return &SyntaxError{Reason: "the body is not valid UTF-8", Offset: fault.ByteOffset + 1}
		case strings.Contains(fault.Err.Error(), "surrogate"):
			return &SyntaxError{Reason: `a \u escape is half of a surrogate pair`, Offset: fault.ByteOffset + 1}
		default:
			return &SyntaxError{Reason: "the body is not JSON: " + fault.Err.Error(), Offset: fault.ByteOffset + 1}
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &SyntaxError{Reason: "the body is not JSON: it ends early", Offset: int64(len(p.text))}
	}
	return err
}
