package transport

import (
	"net/http"
	"strconv"

	"github.com/quayside/quayside/gateway/servicekit/api/precondition"
)

// representation is part of every entity-tag. It changes when the same row
// comes to be shown differently, so that no client keeps the older form.
const representation = "2"

// tagOf is the entity-tag of a version of a shipment.
func tagOf(version int64) string {
	return `"` + representation + "." + strconv.FormatInt(version, 10) + `"`
}

// expects returns which versions of a shipment fulfil the conditions of a request.
func expects(r *http.Request) func(version int64) bool {
	return func(version int64) bool { return precondition.Failed(r, tagOf(version)) == 0 }
}
