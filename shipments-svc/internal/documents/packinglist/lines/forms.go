package lines

import (
	"math"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// forms are what the rows of pallets have in common.
type forms struct {
	labels map[string]int // rows by the form of their label
	rows   int
	filled int // cells of all rows
}

// counted reports whether a row has a number of boxes, or is a box.
func (r *reader) counted(i int) bool {
	if boxes, col := r.cell(i, vocabulary.Boxes); col >= 0 {
		return layout.IsQuantity(boxes.Text)
	}
	carton, _ := r.cell(i, vocabulary.Carton)
	return r.m.Cartons && carton.Text != ""
}

// survey counts the forms of all tables.
func (r *reader) survey(all []layout.Table) {
	r.forms = forms{labels: map[string]int{}}
	f := &r.forms
	for _, t := range all {
		r.t = t
		for i := t.To; i < len(t.Rows); i++ {
			label, _ := r.label(i)
			if label.Value == "" || !r.counted(i) || layout.IsTotal(t.Rows[i]) {
				continue
			}
			f.rows++
			f.labels[vocabulary.Form(label.Value)]++
			f.filled += len(layout.Filled(t.Rows[i]))
		}
	}
}

// strange reports whether a row with a label is unlike the rows of pallets, as notes and
// footers are: it has no boxes, and a label of another form or few cells.
func (r *reader) strange(i int, l Line) bool {
	f := r.forms
	label, _ := r.label(i)
	same, others := f.labels[vocabulary.Form(label.Value)], f.rows
	boxes := r.counted(i) && math.Abs(l.Boxes.Value) <= shipments.MaxBoxes
	if r.counted(i) {
		same, others = same-1, others-1
	}
	switch {
	case label.Value == "" || others == 0:
		return false
	case same == 0 && r.m.Cartons:
		return true
	case same == 0:
		return !boxes
	}
	return !boxes && len(layout.Filled(r.t.Rows[i]))*2*f.rows <= f.filled
}

// end returns the index of the first row below the lines.
func (r *reader) end() int {
	for i := len(r.t.Rows) - 1; i >= r.t.To; i-- {
		if label, _ := r.label(i); label.Value != "" && r.counted(i) && r.forms.labels[vocabulary.Form(label.Value)] > 0 {
			return i + 1
		}
	}
	return r.t.Below()
}
