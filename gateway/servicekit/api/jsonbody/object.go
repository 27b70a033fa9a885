package jsonbody

import (
	"bytes"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"github.com/quayside/quayside/gateway/servicekit/text/rfc3339"
	"github.com/quayside/quayside/gateway/servicekit/text/spelling"
)

// Object is a JSON object of a Body.
type Object struct {
	body    *Body
	pointer string
	members []member // in the order of the text
	read    []string // the names that were read
	absent  bool     // there is no such object, which is a fault already
}

// open returns a value as an object.
func (b *Body) open(value raw, name string) *Object {
	o := &Object{body: b, pointer: value.pointer, members: value.members}
	if value.first != '{' {
		b.add(InvalidType, value.pointer, "%s must be an object, not %s", name, value.kind())
		o.absent = true
		return o
	}
	b.objects = append(b.objects, o)
	return o
}

// Object returns a required member that is an object.
func (o *Object) Object(name string) *Object {
	value, ok := o.member(name)
	if ok {
		return o.body.open(value, name)
	}
	if !o.absent {
		o.body.add(Required, o.pointer+"/"+name, "%s is required", name)
	}
	return &Object{body: o.body, pointer: o.pointer + "/" + name, absent: true}
}

// OptionalObject returns a member that is an object, or an empty one where it is
// missing; see Has.
func (o *Object) OptionalObject(name string) *Object {
	if o.Has(name) {
		return o.Object(name)
	}
	return &Object{body: o.body, pointer: o.pointer + "/" + name, absent: true}
}

// Null reports whether there is a member of this name and it is null. Read as any
// type, null is a fault.
func (o *Object) Null(name string) bool {
	value, ok := o.member(name)
	return ok && value.first == 'n'
}

// Bool returns an optional member that is true or false, or false.
func (o *Object) Bool(name string) bool {
	value, ok := o.member(name)
	if ok && value.kind() != "a boolean" {
		o.wrong(value, name, "a boolean")
	}
	return ok && value.first == 't'
}

// Objects returns the elements of an optional member that is an array of
// objects.
func (o *Object) Objects(name string) []*Object {
	elements, ok := o.elements(name)
	if !ok {
		return nil
	}
	objects := make([]*Object, len(elements))
	for i, element := range elements {
		objects[i] = o.body.open(element, "an element of "+name)
	}
	return objects
}

// Texts returns the elements of an optional member that is an array of strings,
// or nil where it is missing or has other elements.
func (o *Object) Texts(name string) []string {
	elements, ok := o.elements(name)
	if !ok {
		return nil
	}
	texts := make([]string, 0, len(elements))
	for _, element := range elements {
		if element.first != '"' {
			o.wrong(element, "an element of "+name, "a string")
			continue
		}
		texts = append(texts, Normal(element.exact()))
	}
	if len(texts) < len(elements) {
		return nil
	}
	return texts
}

// elements returns those of an optional member that is an array, and whether
// it is one.
func (o *Object) elements(name string) ([]raw, bool) {
	value, ok := o.member(name)
	if !ok {
		return nil, false
	}
	if value.first != '[' {
		o.wrong(value, name, "an array")
		return nil, false
	}
	for i := range value.elements {
		value.elements[i].pointer = value.pointer + "/" + strconv.Itoa(i)
	}
	return value.elements, true
}

// Has reports whether there is a member of this name.
func (o *Object) Has(name string) bool {
	_, ok := o.member(name)
	return ok
}

// Sequence returns an optional member that is a whole number from 0, or 0.
func (o *Object) Sequence(name string) int64 {
	value, ok := o.number(name)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(string(value.text), 10, 64)
	if err != nil || n < 0 {
		o.body.add(InvalidType, value.pointer, "%s must be a whole number from 0", name)
		return 0
	}
	return n
}

// Text returns an optional member that is a string, in Normal form, or "".
func (o *Object) Text(name string) string {
	text, _ := o.exact(name)
	return Normal(text)
}

// exact returns an optional member that is a string, as it was sent, and whether
// there is one.
func (o *Object) exact(name string) (string, bool) {
	value, ok := o.member(name)
	if ok && value.first != '"' {
		o.wrong(value, name, "a string")
		return "", false
	}
	return value.exact(), ok
}

// exact returns a string as it was sent.
func (r raw) exact() string {
	text, _ := jsontext.AppendUnquote(nil, r.text) // the parser has validated it
	return string(text)
}

// Base64 returns an optional member that is base64 (RFC 4648, section 4), and whether there is a string. The padding
// may be missing, and line breaks are ignored. It is decoded in the memory of the body, and so can be read once.
func (o *Object) Base64(name string) (content []byte, ok bool) {
	value, ok := o.member(name)
	if !ok || value.first != '"' {
		_, ok = o.exact(name) // a fault
		return nil, ok
	}
	text := value.text[1 : len(value.text)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		text = []byte(value.exact())
	}
	text = bytes.TrimRight(text, "\r\n")
	encoding := base64.RawStdEncoding
	if bytes.HasSuffix(text, []byte("=")) {
		encoding = base64.StdEncoding
	}
	n, err := encoding.Decode(text, text)
	if err != nil {
		o.body.add(InvalidValue, value.pointer, "%s must be base64 (RFC 4648, section 4)", name)
		return nil, true
	}
	return text[:n], true
}

// Choice returns an optional member that is exactly one of these texts, or "".
func (o *Object) Choice(name string, allowed ...string) string {
	text, ok := o.exact(name)
	if ok && !slices.Contains(allowed, text) {
		o.body.add(InvalidValue, o.pointer+"/"+name, "%s must be one of %s", name, strings.Join(allowed, ", "))
		return ""
	}
	return text
}

// OptionalText returns an optional member that is a string, or nil where it is
// missing or something else.
func (o *Object) OptionalText(name string) *string {
	text, ok := o.exact(name)
	if !ok {
		return nil
	}
	return new(Normal(text))
}

// Normal returns a text in Unicode's normalization form C, without leading and
// trailing space.
func Normal(text string) string {
	return norm.NFC.String(strings.TrimSpace(text))
}

// Time returns an optional member that is an RFC 3339 time, or the zero time.
func (o *Object) Time(name string) time.Time {
	text, ok := o.exact(name)
	if !ok {
		return time.Time{}
	}
	t, ok := rfc3339.Parse(text)
	if !ok {
		o.body.add(InvalidValue, o.pointer+"/"+name, "%s must be a time such as 2026-11-20T14:03:52.123Z", name)
		return time.Time{}
	}
	return t
}

// most is what a number is reduced to that is larger, for its own bound to refuse
// it: each whole number up to it is a float64.
const most = 1 << 53

// Int returns an optional member that is a whole number in any spelling, such as
// 240, 240.0 or 2.4e2, or 0.
func (o *Object) Int(name string) int {
	value, ok := o.number(name)
	if !ok {
		return 0
	}
	if n, err := strconv.Atoi(string(value.text)); err == nil {
		return n
	}
	number := value.float()
	if number != math.Trunc(number) {
		o.body.add(InvalidType, value.pointer, "%s must be a whole number", name)
		return 0
	}
	return int(number)
}

// Thousandths returns 1000 times an optional member that is a number of at most
// three decimals, or 0.
func (o *Object) Thousandths(name string) int {
	value, ok := o.number(name)
	if !ok {
		return 0
	}
	whole, decimals, _ := strings.Cut(strconv.FormatFloat(value.float(), 'f', -1, 64), ".")
	if len(decimals) > 3 {
		o.body.add(OutOfRange, value.pointer, "%s must have at most 3 decimals", name)
		return 0
	}
	n, _ := strconv.Atoi(whole + (decimals + "000")[:3])
	return n
}

// float returns a number within most.
func (r raw) float() float64 {
	number, _ := strconv.ParseFloat(string(r.text), 64) // beyond a float64 it is infinite
	return min(max(number, -most), most)
}

// Wrong adds a fault of the member of this name.
func (o *Object) Wrong(code, name, detail string) {
	o.body.add(code, o.pointer+"/"+name, "%s", detail)
}

func (o *Object) number(name string) (raw, bool) {
	value, ok := o.member(name)
	if ok && value.kind() != "a number" {
		o.wrong(value, name, "a number")
		return raw{}, false
	}
	return value, ok
}

func (o *Object) member(name string) (raw, bool) {
	if !slices.Contains(o.read, name) {
		o.read = append(o.read, name)
	}
	for _, m := range o.members {
		if m.name == name {
			m.value.pointer = o.pointer + "/" + escapePointer(name)
			return m.value, true
		}
	}
	return raw{}, false
}

func (o *Object) wrong(value raw, name, want string) {
	o.body.add(InvalidType, value.pointer, "%s must be %s, not %s", name, want, value.kind())
}

// reportUnknown adds a fault for each member that was not read.
func (o *Object) reportUnknown() {
	for _, m := range o.members {
		if slices.Contains(o.read, m.name) {
			continue
		}
		if len(o.body.faults) == maxFaults {
			return
		}
		o.body.add(UnknownField, o.pointer+"/"+escapePointer(m.name), "%s", spelling.Unknown("member", m.name, o.read))
	}
}
