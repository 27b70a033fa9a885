package jsonbody

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// maxWritten is how many bytes a member's name may have as it is written: with an
// escape for each character.
const maxWritten = 6*maxName + 2

// Diverted describes a body from which one string was taken out.
type Diverted struct {
	cut  int64 // where, in what is left of the body; 0: nowhere
	size int64 // of what was taken out, as it was written
}

// Divert copies a whole body to rest, except for one string: that at path, the names
// of nested members. The string's unescaped text goes to sink, and rest gets an
// empty string in its place. Both are written in pieces, so that memory does not
// grow with the body.
//
// Its error is a *SyntaxError, a *LimitError, or that of reading r or of writing.
// It does not validate the JSON; Parse does, of rest. Duplicate names are all
// diverted, and then refused by Parse.
func Divert(r io.Reader, rest, sink io.Writer, path ...string) (Diverted, error) {
	d := diverter{in: bufio.NewReaderSize(r, 32<<10), rest: bufio.NewWriterSize(rest, 32<<10), sink: sink, path: path}
	if err := d.run(); err != io.EOF { //nolint:errorlint // bufio returns it as it is
		return Diverted{}, err
	}
	return d.done, d.rest.Flush()
}

// Parse is Parse of what is left of the body, with offsets in the whole of it.
func (d Diverted) Parse(rest []byte, l Limits) (*Body, error) {
	body, err := Parse(rest, l)
	if bad, ok := errors.AsType[*SyntaxError](err); ok && d.cut > 0 && bad.Offset > d.cut {
		bad.Offset += d.size
	}
	return body, err
}

// diverter tracks the position in a JSON text without validating it.
type diverter struct {
	in   *bufio.Reader
	rest *bufio.Writer
	sink io.Writer
	path []string

	open  []byte   // the { and [ that are not closed
	names []string // the name of the present member of each of them; of an array empty
	value bool     // a string here is a value and not a name
	read  int64    // bytes of in
	kept  int64    // bytes of rest
	done  Diverted
}

// run reads the text to its end, io.EOF.
func (d *diverter) run() error {
	for {
		c, err := d.next()
		if err != nil {
			return err
		}
		if err := d.keep(c); err != nil {
			return err
		}
		switch c {
		case '{', '[':
			if len(d.open) == maxDepth {
				return &SyntaxError{Reason: fmt.Sprintf("the body is nested more than %d levels deep", maxDepth), Offset: d.read}
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

// text reads a string after its first quotation mark.
func (d *diverter) text() error {
	switch {
	case !d.value && len(d.names) > 0:
		name := []byte{'"'}
		if err := d.copied(&name); err != nil {
			return err
		}
		_ = json.Unmarshal(name, &d.names[len(d.names)-1]) // Parse refuses a malformed one
		return nil
	case slices.Equal(d.names, d.path) && !slices.Contains(d.open, '['):
		return d.diverted()
	default:
		return d.copied(nil)
	}
}

// copied copies a string to rest, and if it is a name to name.
func (d *diverter) copied(name *[]byte) error {
	for escaped := false; ; {
		c, err := d.next()
		if err == nil {
			err = d.keep(c)
		}
		if err != nil {
			return err
		}
		if name != nil {
			if *name = append(*name, c); len(*name) > maxWritten {
				return beyondLimit(TooLong, "", longName)
			}
		}
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

// diverted writes the unescaped text of a string to the sink, with runs of plain
// characters as they are in the buffer.
func (d *diverter) diverted() error {
	d.done.cut = d.kept
	began := d.read
	for {
		if _, err := d.in.Peek(1); err != nil {
			return err
		}
		buffered, _ := d.in.Peek(d.in.Buffered())
		text := buffered[:plain(buffered)]
		n, _ := d.in.Discard(len(text))
		d.read += int64(n)
		if n == 0 {
			c, err := d.next()
			if c == '"' && err == nil {
				d.done.size += d.read - began - 1
				return d.keep(c)
			}
			if text, err = d.unescape(c); err != nil {
				return err
			}
		}
		if _, err := d.sink.Write(text); err != nil {
			return err
		}
	}
}

// plain returns how many bytes of a string precede its end or an escape.
func plain(text []byte) int {
	for i, c := range text {
		if c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return len(text)
}

// unescape returns the text of the escape that begins with c.
func (d *diverter) unescape(c byte) ([]byte, error) {
	bad := &SyntaxError{Reason: "the body is not JSON: invalid character or escape in a string", Offset: d.read}
	if c != '\\' {
		return nil, bad
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

func (d *diverter) keep(c byte) error {
	d.kept++
	return d.rest.WriteByte(c)
}
