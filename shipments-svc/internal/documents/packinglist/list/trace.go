package list

import "slices"

// Step is a decision of a stage of reading. Steps are added and never changed: mappings and explanations are made of
// them.
type Step struct {
	Stage  Stage   `json:"stage"`
	Where  Place   `json:"where"`
	Field  string  `json:"field,omitempty"` // that the step gives a column
	Rule   string  `json:"rule"`            // its id
	Before float64 `json:"before"`          // the score
	After  float64 `json:"after"`
	Rival  *Rival  `json:"rival,omitempty"` // what came second
	Kept   bool    `json:"kept"`            // nothing overruled it
	Note   string  `json:"note,omitempty"`  // for people
}

// Rival is what came second.
type Rival struct {
	Where Place   `json:"where"`
	Score float64 `json:"score"`
}

// Stage is a stage of reading.
type Stage string

// The stages, in their order.
const (
	TablesStage    Stage = "tables"
	LayoutStage    Stage = "layout"
	MappingStage   Stage = "mapping"
	LinesStage     Stage = "lines"
	ReconcileStage Stage = "reconcile"
)

// Trace is the steps of a reading in their order.
type Trace []Step

// With returns the trace with further steps; this one is not changed.
func (t Trace) With(steps ...Step) Trace { return append(slices.Clip(t), steps...) }

// Of returns the steps of a stage at a place, whose row or column may be 0: any.
func (t Trace) Of(stage Stage, at Place) (steps Trace) {
	for _, s := range t {
		row, column := at.Row == 0 || at.Row == s.Where.Row, at.Column == 0 || at.Column == s.Where.Column
		if s.Stage == stage && s.Where.Sheet == at.Sheet && row && column {
			steps = append(steps, s)
		}
	}
	return steps
}

// Has reports whether a rule made one of the steps.
func (t Trace) Has(rule string) bool {
	return slices.ContainsFunc(t, func(s Step) bool { return s.Rule == rule })
}

// Rules returns the ids of the rules of the steps.
func (t Trace) Rules() (ids []string) {
	for _, s := range t {
		ids = append(ids, s.Rule)
	}
	return ids
}
