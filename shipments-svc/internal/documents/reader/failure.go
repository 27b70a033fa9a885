package reader

import (
	"fmt"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// failureOf returns an error as a failure whose detail is a sentence with its place.
func failureOf(u packinglist.Unreadable) shipments.Failure {
	var at []string
	if u.Place.Sheet != "" {
		at = append(at, u.Place.Sheet)
	}
	if u.Place.Row > 0 {
		at = append(at, fmt.Sprintf("row %d", u.Place.Row))
	}
	detail := u.Detail
	if at != nil {
		detail += " (" + strings.Join(at, ", ") + ")"
	}
	return shipments.Failure{Code: u.Code, Detail: detail + "."}
}
