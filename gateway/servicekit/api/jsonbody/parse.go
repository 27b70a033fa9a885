package jsonbody

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/gateway/servicekit/text/spelling"
)

// Limits of every body.
const (
	maxDepth   = 32    // objects and arrays within each other
	maxMembers = 1_000 // of one object
	maxName    = 200   // bytes of a member's name
)

var longName = fmt.Sprintf("a member's name has more than %d bytes", maxName)

// Limits bound a body, so that its memory is bounded.
type Limits struct {
	Elements int // of one array
	Values   int // in all; 0: ten times Elements, and 1,000
	Scalar   int // bytes of a string or number, as it is written; 0: 64 KiB
	// Long is the pointer of the one string that may be longer.
	Long string
}

func (l Limits) withDefaults() Limits {
	if l.Values == 0 {
		l.Values = 10*l.Elements + maxMembers
	}
	if l.Scalar == 0 {
		l.Scalar = 64 << 10
	}
	return l
}

// Parse reads a whole body. The Body refers to text. Its error is a *SyntaxError
// or a *LimitError.
func Parse(text []byte, l Limits) (*Body, error) {
	if len(text) == 0 {
		return nil, &SyntaxError{Reason: "the body is empty"}
	}
	l = l.withDefaults()
	p := parser{dec: jsontext.NewDecoder(bytes.NewBuffer(text)), text: text, limits: l, left: l.Values}
	root, err := p.value()
	if err != nil {
		return nil, p.failure(err)
	}
	switch _, err := p.dec.ReadToken(); {
	case err == nil:
		return nil, &SyntaxError{
			Reason: "the body is not JSON: there is something after the value",
			Offset: p.dec.InputOffset(),
		}
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
	dec    *jsontext.Decoder
	text   []byte
	limits Limits
	left   int // values that the body may still have
}

func (p *parser) value() (raw, error) {
	if p.left--; p.left < 0 {
		return raw{}, beyondLimit(OutOfRange, "", "the body holds more values than are read")
	}
	first := byte(p.dec.PeekKind())
	switch first {
	case '{', '[':
		if p.dec.StackDepth() == maxDepth {
			return raw{}, &SyntaxError{
				Reason: fmt.Sprintf("the body is nested more than %d levels deep", maxDepth),
				Offset: p.dec.InputOffset() + 1,
			}
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
		if len(value) > p.limits.Scalar {
			if at := string(p.dec.StackPointer()); at != p.limits.Long {
				return raw{}, beyondLimit(TooLong, at, fmt.Sprintf("the value has more than %d bytes", p.limits.Scalar))
			}
		}
		end := p.dec.InputOffset()
		return raw{first: value[0], text: p.text[end-int64(len(value)) : end]}, nil
	}
}

// part reads a member of an object or an element of an array.
func (p *parser) part(of *raw) error {
	if of.first == '[' {
		if len(of.elements) == p.limits.Elements {
			return beyondLimit(OutOfRange, p.parent(), fmt.Sprintf("the array has more than %d elements", p.limits.Elements))
		}
		v, err := p.value()
		of.elements = append(of.elements, v)
		return err
	}
	name, err := p.dec.ReadValue()
	if err != nil {
		return err
	}
	switch {
	case len(name) > p.limits.Scalar:
		return beyondLimit(TooLong, "", longName) // a pointer would copy the name
	case len(of.members) == maxMembers:
		return beyondLimit(OutOfRange, p.parent(), fmt.Sprintf("the object has more than %d members", maxMembers))
	}
	text := raw{text: name}.exact()
	if len(text) > maxName {
		return beyondLimit(TooLong, p.parent(), longName)
	}
	v, err := p.value()
	of.members = append(of.members, member{text, v})
	return err
}

// parent points to the object or array whose part was read last.
func (p *parser) parent() string { return string(p.dec.StackPointer().Parent()) }

func beyondLimit(code, pointer, detail string) error {
	return &LimitError{Fault{Code: code, Pointer: pointer, Detail: detail}}
}

// failure translates an error of the decoder.
func (p *parser) failure(err error) error {
	if fault, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		switch {
		case errors.Is(fault.Err, jsontext.ErrDuplicateName):
			return &SyntaxError{
				Reason: fmt.Sprintf("the member %s is given twice", spelling.Quote(fault.JSONPointer.LastToken())),
				Offset: fault.ByteOffset + 1,
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
