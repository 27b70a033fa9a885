package chaos

import (
	"fmt"
	"net/http"
	"slices"
)

// kind is one kind of request of the steady load.
type kind struct {
	name   string
	rate   int   // requests a second
	right  []int // what it is answered when nothing is wrong
	client bool  // whether customers make it with a good token: its failures are an outage
	make   func(*rig) ask
}

// The kinds by name, for promises that are about some of them.
const (
	kindList    = "list"
	kindOne     = "one"
	kindCreate  = "create"
	kindRepeat  = "repeat"
	kindSelf    = "self"
	kindFresh   = "fresh"
	kindDoomed  = "doomed"
	kindLimited = "limited"
	kindUnknown = "unknown"
)

// kinds is the steady load: what customers do, and what they must not be able
// to do, at the same time.
var kinds = []kind{
	{kindList, 20, []int{200}, true, func(r *rig) ask { return ask{path: "/api/v1/shipments?per_page=5", token: r.cast.reader} }},
	{kindOne, 20, []int{200}, true, func(r *rig) ask { return ask{path: r.cast.shipment, token: r.cast.reader} }},
	{kindCreate, 10, []int{201}, true, (*rig).newCreate},
	{kindSelf, 8, []int{200}, true, func(r *rig) ask { return ask{path: "/api/v1/token", token: r.cast.reader} }},
	{kindFresh, 2, []int{200}, true, func(r *rig) ask { return ask{path: "/api/v1/shipments?per_page=1", token: r.cast.nextFresh()} }},

	{kindLimited, 10, []int{200, 429}, false, func(r *rig) ask { return ask{path: r.cast.shipment, token: r.cast.limited} }},
	{kindDoomed, 4, []int{200, 401}, false, func(r *rig) ask { return ask{path: r.cast.shipment, token: r.cast.doomed.Secret, from: elsewhere()} }},
	{"no permission", 4, []int{403}, false, func(r *rig) ask { return r.create(r.cast.reader, "never") }},
	{kindUnknown, 4, []int{401}, false, func(r *rig) ask { return ask{path: r.cast.shipment, token: madeUp(), from: elsewhere()} }},
	{"revoked", 3, []int{401}, false, func(r *rig) ask { return ask{path: r.cast.shipment, token: r.cast.revoked, from: elsewhere()} }},
	{"expired", 2, []int{401}, false, func(r *rig) ask { return ask{path: r.cast.shipment, token: r.cast.expired, from: elsewhere()} }},
	{"no token", 3, []int{401}, false, func(*rig) ask { return ask{path: "/api/v1/shipments", from: elsewhere()} }},
}

// kindOf returns a kind by its name. What repeats a create is one.
func kindOf(name string) kind {
	if name == kindRepeat {
		name = kindCreate
	}
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })]
}

// newCreate is a create with a reference and an Idempotency-Key that were
// never used before.
func (r *rig) newCreate() ask {
	reference := fmt.Sprintf("CHAOS-%06d", r.created.Add(1))
	return r.create(r.cast.writer, reference)
}

func (r *rig) create(token, reference string) ask {
	return ask{
		method: http.MethodPost, path: "/api/v1/shipments", token: token, reference: reference,
		body: fmt.Sprintf(`{"shipment":{"reference":%q,"vessel":"MSC Carmen","origin":"Cape Town, ZA","destination":"Rotterdam, NL"}}`, reference),
	}
}
