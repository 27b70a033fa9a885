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
func (p parameters) limit() int64 { return p.Number("limit", 1, math.MaxInt64, clamped) }

// paging returns the requested part of a list, or 0.
func (p parameters) paging() (page, perPage int64) {
	return p.Number("page", 1, math.MaxInt64, ""), p.Number("per_page", 1, math.MaxInt64, clamped)
}

// clamped is what is to be known of a number of elements.
var clamped = fmt.Sprintf("; more than %[1]d counts as %[1]d", shipments.MaxPerPage)
