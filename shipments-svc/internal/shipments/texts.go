package shipments

// Draft is what a client states of a shipment. Each field is one of Texts, and
// its JSON name is the name of its column, too.
type Draft struct {
	Reference   string `json:"reference"` // the client's own name for it; need not be unique
	Vessel      string `json:"vessel"`
	Origin      string `json:"origin"`
	Destination string `json:"destination"`
}

// Text describes a field of a Draft.
type Text struct {
	Name  string // in JSON and as a column
	Max   int    // code points
	field func(*Draft) *string
}

// MaxReference is the maximum length of a reference in code points.
const MaxReference = 100

// Texts lists the fields of a Draft in their order. Validation and decoding are
// derived from it.
var Texts = []Text{
	{Name: "reference", Max: MaxReference, field: func(d *Draft) *string { return &d.Reference }},
	{Name: "vessel", Max: 100, field: func(d *Draft) *string { return &d.Vessel }},
	{Name: "origin", Max: 200, field: func(d *Draft) *string { return &d.Origin }},
	{Name: "destination", Max: 200, field: func(d *Draft) *string { return &d.Destination }},
}

// NewDraft returns the draft whose texts have the values that value returns for
// their names.
func NewDraft(value func(name string) string) Draft {
	var d Draft
	for _, t := range Texts {
		*t.field(&d) = value(t.Name)
	}
	return d
}

// Edit is a request to replace texts of a shipment.
type Edit struct {
	Order
	Texts map[string]string // by name; others stay as they are
}

// NewEdit returns an edit of the texts for whose names value returns one.
func NewEdit(o Order, value func(name string) *string) Edit {
	e := Edit{Order: o, Texts: map[string]string{}}
	for _, t := range Texts {
		if v := value(t.Name); v != nil {
			e.Texts[t.Name] = *v
		}
	}
	return e
}

// applied returns the draft with the edit's texts, and the differences.
func (e Edit) applied(d Draft) (Draft, []Change) {
	var changes []Change
	for _, t := range Texts {
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
	for _, t := range Texts {
		if value, ok := e.Texts[t.Name]; ok {
			f.text("", t.Name, value, t.Max)
		}
	}
	return f
}

// Faults returns all faults of the draft, with pointers from it, or nil.
func (d Draft) Faults() []Fault {
	var f faults
	for _, t := range Texts {
		f.text("", t.Name, *t.field(&d), t.Max)
	}
	return f
}
