package jsonbody

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Divert reads a whole body as Parse does, except for one string: that under
// the names of path, one object within the other. What the string says goes to
// sink, piece by piece, and the body that is returned has an empty text in its
// place; so a body may be much larger than what is kept of it in memory.
//
// Its error is a *SyntaxError, or that of reading r or writing to sink. If a
// name is repeated so are the pieces, and the error says so.
func Divert(r io.Reader, sink io.Writer, path ...string) (*Body, error) {
	d := diverter{in: bufio.NewReaderSize(r, 32<<10), sink: sink, path: path}
	if err := d.run(); err != io.EOF { //nolint:errorlint // bufio returns it as it is
		return nil, err
	}
	body, err := Parse(d.rest.Bytes())
	if bad, ok := err.(*SyntaxError); ok && d.cut > 0 && bad.Offset > d.cut { //nolint:errorlint // Parse returns no other
		bad.Offset += d.left
	}
	return body, err
}

// diverter follows a JSON text as far as it must to know where it is. Whether
// the text is JSON is for Parse to say.
type diverter struct {
	in   *bufio.Reader
	rest bytes.Buffer
	sink io.Writer
	path []string

	open  []byte   // the { and [ that are not closed
	names []string // the name of the present member of each of them; of an array empty
	value bool     // a string here is a value and not a name
	read  int64
	cut   int64 // where in rest something was left out; 0: nowhere
	left  int64 // how much
}

// maxOpen is how deep a body is followed; encoding/json refuses what is deeper.
const maxOpen = 10_000

// run follows the text to its end, io.EOF. What is missing there is for Parse to
// say.
func (d *diverter) run() error {
	for {
		c, err := d.next()
		if err != nil {
			return err
		}
		d.rest.WriteByte(c)
		switch c {
		case '{', '[':
			if len(d.open) == maxOpen {
				return &SyntaxError{Reason: "the body is nested too deeply", Offset: d.read}
			}
			d.open, d.names, d.value = append(d.open, c), append(d.names, ""), c == '['
		case '}', ']':
			if n := len(d.open); n > 0 {
				d.open, d.names = d.open[:n-1], d.names[:n-1]
			}
		case ':':
			d.value = true
		case ',':
			d.value = len(d.open) == 0 || d.open[len(d.open)-1] == '['
		case '"':
			if err := d.text(); err != nil {
				return err
			}
		}
	}
}

// text follows a string from behind its first quotation mark.
func (d *diverter) text() error {
	switch {
	case !d.value && len(d.names) > 0:
		from := d.rest.Len()
		if err := d.copied(); err != nil {
			return err
		}
		name := d.rest.Bytes()[from-1:]
		_ = json.Unmarshal(name, &d.names[len(d.names)-1]) // a bad one is for Parse to refuse
		return nil
	case slices.Equal(d.names, d.path) && !slices.Contains(d.open, '['):
		return d.diverted()
	default:
		return d.copied()
	}
}

// copied keeps a string as it is.
func (d *diverter) copied() error {
	for escaped := false; ; {
		c, err := d.next()
		if err != nil {
			return err
		}
		d.rest.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '"':
			return nil
		}
	}
}

// diverted sends what a string says to the sink.
func (d *diverter) diverted() error {
	d.cut = int64(d.rest.Len())
	began := d.read
	var piece [4 << 10]byte
	for n := 0; ; {
		c, err := d.next()
		ends := err != nil || c == '"'
		if !ends {
			var said []byte
			said, err = d.said(c)
			n += copy(piece[n:], said)
			ends = err != nil
		}
		if !ends && n < len(piece)-utf8.UTFMax {
			continue
		}
		if _, failed := d.sink.Write(piece[:n]); failed != nil {
			return failed
		}
		if n = 0; err != nil {
			return err
		}
		if ends {
			d.rest.WriteByte(c)
			d.left += d.read - began - 1
			return nil
		}
	}
}

// said returns what a character of a string says that begins with c.
func (d *diverter) said(c byte) ([]byte, error) {
	bad := &SyntaxError{Reason: "the body is not JSON: invalid character or escape in a string", Offset: d.read}
	if c < ' ' {
		return nil, bad
	}
	if c != '\\' {
		return []byte{c}, nil
	}
	c, err := d.next()
	if err != nil {
		return nil, err
	}
	if c == 'u' {
		var digits [4]byte
		for i := range digits {
			if digits[i], err = d.next(); err != nil {
				return nil, err
			}
		}
		code, err := strconv.ParseUint(string(digits[:]), 16, 16)
		if err != nil {
			return nil, bad
		}
		return utf8.AppendRune(nil, rune(code)), nil
	}
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), c); i >= 0 {
		return []byte{"\"\\/\b\f\n\r\t"[i]}, nil
	}
	return nil, bad
}

func (d *diverter) next() (byte, error) {
	c, err := d.in.ReadByte()
	if err == nil {
		d.read++
	}
	return c, err
}
