package shipments

import (
	"slices"

	"github.com/quayside/quayside/gateway/servicekit/text/plaintext"
)

// Draft is what a client states of a shipment. Each field is one of TextFields, and
// its JSON name is the name of its column, too. An optional one is omitted where it
// is empty.
type Draft struct {
	Reference   string `json:"reference"` // the client's own name for it; need not be unique
	Vessel      string `json:"vessel"`
	Origin      string `json:"origin"`
	Destination string `json:"destination"`
	Voyage      string `json:"voyage,omitempty"` // the carrier's number of it
}

// TextField describes a field of a Draft.
type TextField struct {
	Name     string // in JSON and as a column
	Max      int    // code points
	Optional bool   // it may be empty, which is as if it were not there
	Filter   Match  // how lists are filtered by it
	field    func(*Draft) *string
}

// Match is how a filter compares a text.
type Match int

// The ways of comparing a text.
const (
	Unfiltered Match = iota // there is no filter of it
	Equal                   // by an index of the column
	Prefix                  // in any case, by an index of the column name_lower
)

// MaxReference is the maximum length of a reference in code points.
const MaxReference = 100

// TextFields lists the fields of a Draft as people read them, the reference first. Validation, decoding, filters of
// lists, pages and exports are derived from it.
var TextFields = []TextField{
	{Name: "reference", Max: MaxReference, Filter: Equal, field: func(d *Draft) *string { return &d.Reference }},
	{Name: "vessel", Max: 100, Filter: Prefix, field: func(d *Draft) *string { return &d.Vessel }},
	{Name: "voyage", Max: 50, Optional: true, field: func(d *Draft) *string { return &d.Voyage }},
	{Name: "origin", Max: 200, field: func(d *Draft) *string { return &d.Origin }},
	{Name: "destination", Max: 200, Filter: Prefix, field: func(d *Draft) *string { return &d.Destination }},
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
