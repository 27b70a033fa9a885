package transport

import (
	"fmt"
	"math"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// parameters are those of a query, in which an empty one is the same as none.
type parameters struct{ *query.Parameters }

func readParameters(r *http.Request) parameters {
	p := query.Read(r)
	p.EmptyIsMissing = true
	return parameters{p}
}

// noParameters is the error of a query where none is allowed.
func noParameters(r *http.Request) error { return readParameters(r).Err() }

// after returns the sequence number after which events are requested, or 0.
func (p parameters) after() int64 {
	return p.Number("after", 0, math.MaxInt64, ": meta.next_after of the answer before")
}

// limit returns how many elements are requested, or 0.
func (p parameters) limit() int64 { return p.size("limit") }

// page and perPage return the requested part of a list, or 0.
func (p parameters) page() int64    { return p.Number("page", 1, math.MaxInt64, "") }
func (p parameters) perPage() int64 { return p.size("per_page") }

func (p parameters) size(name string) int64 {
	return p.Number(
		name, 1, math.MaxInt64, fmt.Sprintf("; more than %d counts as %d", shipments.MaxPerPage, shipments.MaxPerPage),
	)
}
