package shipments

import "github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"

// Assignment is the correction of the mapping of a packing list by a person, or a template.
type Assignment struct {
	list.Assignment
	Keep *Template `json:"keep,omitempty"` // stored once the list was read with the assignment
}
