package jsonbody

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"
)

// Object is a JSON object of a Body.
type Object struct {
	body    *Body
	pointer string
	members []member // in the order of the text
	asked   []string // the names that exist, as far as the reader knows them
	absent  bool     // there is no such object, which is a fault already
}

// open returns a value as an object.
func (b *Body) open(value raw, name string) *Object {
	o := &Object{body: b, pointer: value.pointer, members: value.members}
	if value.first != '{' {
		b.add(invalidType, value.pointer, "%s must be an object, not %s", name, value.kind())
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
		o.body.add(required, o.pointer+"/"+name, "%s is required", name)
	}
	return &Object{body: o.body, pointer: o.pointer + "/" + name, absent: true}
}

// OptionalObject returns an optional member that is an object, or nil.
func (o *Object) OptionalObject(name string) *Object {
	value, ok := o.member(name)
	if !ok {
		return nil
	}
	return o.body.open(value, name)
}

// Null reports whether a member is there and is null. Asked for as anything
// else it would be a fault.
func (o *Object) Null(name string) bool {
	value, ok := o.member(name)
	return ok && value.first == 'n'
}

// Has reports whether a member is there.
func (o *Object) Has(name string) bool {
	_, ok := o.member(name)
	return ok
}

// Texts returns the elements of an optional member that is an array of strings.
func (o *Object) Texts(name string) []string {
	var texts []string
	for _, element := range o.elements(name) {
		if element.first != '"' {
			o.wrong(element, "an element of "+name, "a string")
			continue
		}
		texts = append(texts, element.string())
	}
	return texts
}

// elements returns those of an optional member that is an array.
func (o *Object) elements(name string) []raw {
	value, ok := o.member(name)
	if !ok {
		return nil
	}
	if value.first != '[' {
		o.wrong(value, name, "an array")
		return nil
	}
	for i := range value.elements {
		value.elements[i].pointer = value.pointer + "/" + strconv.Itoa(i)
	}
	return value.elements
}

// Text returns an optional member that is a string, or "".
func (o *Object) Text(name string) string {
	value, ok := o.member(name)
	if !ok {
		return ""
	}
	if value.first != '"' {
		o.wrong(value, name, "a string")
		return ""
	}
	return value.string()
}

// OptionalText returns an optional member that is a string, or nil where it
// is missing or something else.
func (o *Object) OptionalText(name string) *string {
	value, ok := o.member(name)
	text := o.Text(name) // tells if it is something else
	if !ok || value.first != '"' {
		return nil
	}
	return &text
}

// string returns a value that is a string, as this package promises it.
func (r raw) string() string { return norm.NFC.String(strings.TrimSpace(r.exact())) }

// exact returns a value that is a string, as it was sent.
func (r raw) exact() string {
	text, _ := jsontext.AppendUnquote(nil, r.text) // the parser has seen that it is valid
	return string(text)
}

// exact returns an optional member that is a string, as it was sent, and whether
// there is one.
func (o *Object) exact(name string) (string, bool) {
	value, ok := o.member(name)
	switch {
	case !ok:
		return "", false
	case value.first != '"':
		o.wrong(value, name, "a string")
		return "", false
	default:
		return value.exact(), true
	}
}

// Choice returns an optional member that is exactly one of these texts, or "".
func (o *Object) Choice(name string, allowed ...string) string {
	text, ok := o.exact(name)
	if ok && !slices.Contains(allowed, text) {
		o.body.add(invalidValue, o.pointer+"/"+name, "%s must be one of %s", name, strings.Join(allowed, ", "))
		return ""
	}
	return text
}

// timeShape is RFC 3339 with capital letters. time.Parse is laxer: it takes
// hours of one digit, and a comma before the fraction.
var timeShape = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`)

// Time returns an optional member that is an RFC 3339 time, or the zero time.
func (o *Object) Time(name string) time.Time {
	text, ok := o.exact(name)
	if !ok {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || !timeShape.MatchString(text) {
		t = time.Time{}
		o.body.add(invalidValue, o.pointer+"/"+name,
			"%s must be a time such as 2026-11-20T14:03:52.123Z", name)
	}
	return t
}

// Int returns an optional member that is a whole number, or 0.
func (o *Object) Int(name string) int {
	value, ok := o.number(name)
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(string(value.text))
	if err != nil {
		o.body.add(invalidType, value.pointer, "%s must be a whole number", name)
	}
	return n
}

// Bool returns an optional member that is true or false, or false.
func (o *Object) Bool(name string) bool {
	value, ok := o.member(name)
	if ok && value.kind() != "a boolean" {
		o.wrong(value, name, "a boolean")
		return false
	}
	return ok && value.text[0] == 't'
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
	if !slices.Contains(o.asked, name) {
		o.asked = append(o.asked, name)
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
	o.body.add(invalidType, value.pointer, "%s must be %s, not %s", name, want, value.kind())
}
