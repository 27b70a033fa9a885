package shipments

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/text/plaintext"
)

// Draft is what a client states of a shipment, in the order in which people read it. Validation, decoding, columns,
// filters of lists, pages and exports are derived from its fields: the JSON name is that of the column; max is the
// maximum length in code points; one that is omitted where it is empty is optional; filter is a Match.
type Draft struct {
	Reference   string `json:"reference" max:"100" filter:"equal"` // the client's own name for it; need not be unique
	Vessel      string `json:"vessel" max:"100" filter:"prefix"`
	Voyage      string `json:"voyage,omitempty" max:"50"` // the carrier's number of it
	Origin      string `json:"origin" max:"200"`
	Destination string `json:"destination" max:"200" filter:"prefix"`
}

// TextField describes a field of a Draft.
type TextField struct {
	Name     string // in JSON and as a column
	Max      int    // code points
	Optional bool   // it may be empty, which is as if it were not there
	Filter   Match  // how lists are filtered by it
	index    int
}

// Match is how a filter compares a text.
type Match string

// The ways of comparing a text.
const (
	Unfiltered Match = ""       // there is no filter of it
	Equal      Match = "equal"  // by an index of the column
	Prefix     Match = "prefix" // in any case, by an index of the column name_lower
)

// TextFields lists the fields of a Draft in their order.
var TextFields = func() (all []TextField) {
	for i, field := range slices.Collect(reflect.TypeFor[Draft]().Fields()) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		most, err := strconv.Atoi(field.Tag.Get("max"))
		filter := Match(field.Tag.Get("filter"))
		if err != nil || !slices.Contains([]Match{Unfiltered, Equal, Prefix}, filter) {
			panic(fmt.Sprintf("the tags of Draft.%s: %s", field.Name, field.Tag)) // a fault of the program
		}
		all = append(all, TextField{name, most, options == "omitempty", filter, i})
	}
	return all
}()

// field returns the text of a draft.
func (t TextField) field(d *Draft) *string {
	return reflect.ValueOf(d).Elem().Field(t.index).Addr().Interface().(*string)
}

// FilterFields are those of TextFields that lists are filtered by.
var FilterFields = slices.DeleteFunc(slices.Clone(TextFields), func(t TextField) bool { return t.Filter == Unfiltered })

// Of returns the text of a draft.
func (t TextField) Of(d Draft) string { return *t.field(&d) }

// Set replaces the text of a draft.
func (t TextField) Set(d *Draft, value string) { *t.field(d) = value }

// NewDraft returns the draft whose texts have the values that value returns for
// their names.
func NewDraft(value func(name string) string) Draft {
	var d Draft
	for _, t := range TextFields {
		*t.field(&d) = t.normal(value(t.Name))
	}
	return d
}

// normal returns a value as it is stored.
func (t TextField) normal(value string) string {
	if t.Optional && plaintext.Blank(value) {
		return ""
	}
	return value
}

// faults adds what is wrong with a value of the text.
func (t TextField) faults(f *faults, value string) {
	if !t.Optional || value != "" {
		f.text("", t.Name, value, t.Max)
	}
}

// Edit is a request to replace texts of a shipment.
type Edit struct {
	Order
	Texts map[string]string // by name; others stay as they are
}

// NewEdit returns an edit of the texts for which value returns one.
func NewEdit(o Order, value func(TextField) *string) Edit {
	e := Edit{Order: o, Texts: map[string]string{}}
	for _, t := range TextFields {
		if v := value(t); v != nil {
			e.Texts[t.Name] = t.normal(*v)
		}
	}
	return e
}

// applied returns the draft with the edit's texts, and the differences.
func (e Edit) applied(d Draft) (Draft, []Change) {
	var changes []Change
	for _, t := range TextFields {
		text := t.field(&d)
		if value, ok := e.Texts[t.Name]; ok && value != *text {
			changes = append(changes, Change{Field: t.Name, From: *text, To: value})
			*text = value
		}
	}
	return d, changes
}

// Faults returns the faults of the edit's texts, with pointers from it.
func (e Edit) Faults() []Fault {
	var f faults
	for _, t := range TextFields {
		if value, ok := e.Texts[t.Name]; ok {
			t.faults(&f, value)
		}
	}
	return f
}

// Faults returns all faults of the draft, with pointers from it, or nil.
func (d Draft) Faults() []Fault {
	var f faults
	for _, t := range TextFields {
		t.faults(&f, *t.field(&d))
	}
	return f
}
