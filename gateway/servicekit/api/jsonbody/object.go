package jsonbody

import (
	"bytes"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"github.com/quayside/quayside/gateway/servicekit/text/spelling"
)

// Object is a JSON object of a Body.
type Object struct {
	body    *Body
	at      string  // its pointer
	members []value // in the order of the text
	read    []string
	absent  bool // there is no such object, or it is a fault already
}

// types are the names of JSON types in faults.
var types = map[jsontext.Kind]string{
	'{': "an object", '[': "an array", '"': "a string", '0': "a number", 't': "a boolean", 'f': "a boolean", 'n': "null",
}

// member returns the member of a name, if there is one.
func (o *Object) member(name string) (value, bool) {
	if !slices.Contains(o.read, name) {
		o.read = append(o.read, name)
	}
	if i := slices.IndexFunc(o.members, func(v value) bool { return v.name == name }); i >= 0 {
		return o.members[i], true
	}
	return value{}, false
}

// typed returns the member of a name, if there is one of this type. Another type is a fault.
func (o *Object) typed(name string, kind jsontext.Kind) (value, bool) {
	v, ok := o.member(name)
	if ok && types[v.kind] != types[kind] {
		o.Wrong(InvalidType, name, name+" must be "+types[kind]+", not "+types[v.kind])
		return value{}, false
	}
	return v, ok
}

// Wrong adds a fault of the member of this name, or with "name/0" of an element.
func (o *Object) Wrong(code, name, detail string) { o.body.add(code, o.at+"/"+name, detail) }

// Has reports whether there is a member of this name.
func (o *Object) Has(name string) bool {
	_, ok := o.member(name)
	return ok
}

// Null reports whether there is a member of this name and it is null. Read as any
// type, null is a fault.
func (o *Object) Null(name string) bool {
	v, _ := o.member(name)
	return v.kind == 'n'
}

// Object returns a required member that is an object.
func (o *Object) Object(name string) *Object {
	if v, ok := o.member(name); ok {
		return o.body.object(v, o.at+"/"+name, name)
	}
	if !o.absent {
		o.Wrong(Required, name, name+" is required")
	}
	return &Object{body: o.body, at: o.at + "/" + name, absent: true}
}

// OptionalObject returns a member that is an object, or an empty one where it is
// missing; see Has.
func (o *Object) OptionalObject(name string) *Object {
	if o.Has(name) {
		return o.Object(name)
	}
	return &Object{body: o.body, at: o.at + "/" + name, absent: true}
}

// Objects returns the elements of an optional member that is an array of
// objects.
func (o *Object) Objects(name string) []*Object {
	array, ok := o.typed(name, '[')
	if !ok {
		return nil
	}
	objects := make([]*Object, len(array.parts))
	for i, element := range array.parts {
		objects[i] = o.body.object(element, o.at+"/"+name+"/"+strconv.Itoa(i), "an element of "+name)
	}
	return objects
}

// Texts returns the elements of an optional member that is an array of strings,
// or nil where it is missing or has other elements.
func (o *Object) Texts(name string) []string {
	array, ok := o.typed(name, '[')
	if !ok {
		return nil
	}
	texts := make([]string, len(array.parts))
	for i, element := range array.parts {
		if texts[i] = Normal(element.string()); element.kind != '"' {
			o.Wrong(InvalidType, name+"/"+strconv.Itoa(i), "an element of "+name+" must be a string, not "+types[element.kind])
			ok = false
		}
	}
	if !ok {
		return nil
	}
	return texts
}

// Bool returns an optional member that is true or false, or false.
func (o *Object) Bool(name string) bool {
	v, _ := o.typed(name, 't')
	return v.kind == 't'
}

// Text returns an optional member that is a string, in Normal form, or "".
func (o *Object) Text(name string) string {
	v, _ := o.typed(name, '"')
	return Normal(v.string())
}

// OptionalText returns an optional member that is a string, or nil where it is
// missing or something else.
func (o *Object) OptionalText(name string) *string {
	v, ok := o.typed(name, '"')
	if !ok {
		return nil
	}
	return new(Normal(v.string()))
}

// Normal returns a text in Unicode's normalization form C, without leading and
// trailing space.
func Normal(text string) string { return norm.NFC.String(strings.TrimSpace(text)) }

// Base64 returns an optional member that is base64 (RFC 4648, section 4), and whether there is a string. The padding
// may be missing, and line breaks are ignored. It is decoded in the memory of the body, and so can be read once.
func (o *Object) Base64(name string) (content []byte, ok bool) {
	v, ok := o.typed(name, '"')
	if !ok {
		return nil, false
	}
	text := v.text[1 : len(v.text)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		text = []byte(v.string())
	}
	text = bytes.TrimRight(text, "\r\n")
	encoding := base64.RawStdEncoding
	if bytes.HasSuffix(text, []byte("=")) {
		encoding = base64.StdEncoding
	}
	n, err := encoding.Decode(text, text)
	if err != nil {
		o.Wrong(InvalidValue, name, name+" must be base64 (RFC 4648, section 4)")
		return nil, true
	}
	return text[:n], true
}

// Choice returns an optional member that is exactly one of these texts, or "".
func (o *Object) Choice(name string, allowed ...string) string {
	v, ok := o.typed(name, '"')
	text := v.string()
	if ok && !slices.Contains(allowed, text) {
		o.Wrong(InvalidValue, name, name+" must be one of "+strings.Join(allowed, ", "))
		return ""
	}
	return text
}

// Time returns an optional member that is an RFC 3339 time, or the zero time.
func (o *Object) Time(name string) (t time.Time) {
	v, ok := o.typed(name, '"')
	upper := strconv.Quote(strings.ToUpper(v.string())) // RFC 3339 allows t and z
	if ok && json.Unmarshal([]byte(upper), &t) != nil { // unlike time.Parse, exactly RFC 3339
		o.Wrong(InvalidValue, name, name+" must be a time such as 2026-11-20T14:03:52.123Z")
		return time.Time{}
	}
	return t
}

// most is what a larger number is reduced to, for the bound of its member to refuse it.
const most = 1e12

func (o *Object) number(name string) float64 {
	v, _ := o.typed(name, '0')
	number, _ := strconv.ParseFloat(string(v.text), 64) // 0 without a text, infinite beyond a float64
	return min(max(number, -most), most)
}

// Int returns an optional member that is a whole number in any spelling, such as
// 240, 240.0 or 2.4e2, or 0.
func (o *Object) Int(name string) int {
	number := o.number(name)
	if number != math.Trunc(number) {
		o.Wrong(InvalidType, name, name+" must be a whole number")
		return 0
	}
	return int(number)
}

// Thousandths returns 1000 times an optional member that is a number of at most
// three decimals, or 0.
func (o *Object) Thousandths(name string) int {
	number := o.number(name)
	thousandths := math.Round(number * 1000)
	if thousandths/1000 != number { // both are the float64 nearest to the same decimal, or the number has more decimals
		o.Wrong(OutOfRange, name, name+" must have at most 3 decimals")
		return 0
	}
	return int(thousandths)
}

// reportUnknown adds a fault for each member that was not read.
func (o *Object) reportUnknown() {
	for _, m := range o.members {
		if len(o.body.faults) == maxFaults {
			return
		}
		if !slices.Contains(o.read, m.name) {
			at := jsontext.Pointer(o.at).AppendToken(m.name)
			o.body.add(UnknownField, string(at), spelling.Unknown("member", m.name, o.read))
		}
	}
}
