package main

import (
	"fmt"
	"net/http"
	"slices"
)

// kind is one kind of request of the steady load.
type kind struct {
	name   string
	rate   int   // requests a second
	right  []int // statuses without a fault
	client bool  // sent by customers with a valid token: a failure is an outage
	make   func(*topology) call
}

// Names of kinds that promises refer to.
const (
	kindList      = "list"
	kindOne       = "one"
	kindCreate    = "create"
	kindRepeat    = "repeat"
	kindSelf      = "self"
	kindFresh     = "fresh"
	kindRevocable = "revocable"
	kindLimited   = "limited"
	kindUnknown   = "unknown"
)

// kinds is the load: requests of customers, and requests that must be refused.
var kinds = []kind{
	{kindList, 20, []int{200}, true, func(r *topology) call { return call{path: "/api/v1/shipments?per_page=5", token: r.tokens.reader} }},
	{kindOne, 20, []int{200}, true, func(r *topology) call { return call{path: r.tokens.shipment, token: r.tokens.reader} }},
	{kindCreate, 10, []int{201}, true, (*topology).newCreate},
	{kindSelf, 8, []int{200}, true, func(r *topology) call { return call{path: "/api/v1/token", token: r.tokens.reader} }},
	{kindFresh, 2, []int{200}, true, func(r *topology) call { return call{path: "/api/v1/shipments?per_page=1", token: r.tokens.nextFresh()} }},

	{kindLimited, 10, []int{200, 429}, false, func(r *topology) call { return call{path: r.tokens.shipment, token: r.tokens.limited} }},
	{kindRevocable, 4, []int{200, 401}, false, func(r *topology) call {
		return call{path: r.tokens.shipment, token: r.tokens.revocable.Secret, from: freshAddress()}
	}},
	{"no permission", 4, []int{403}, false, func(r *topology) call { return r.create(r.tokens.reader, "never") }},
	{kindUnknown, 4, []int{401}, false, func(r *topology) call {
		return call{path: r.tokens.shipment, token: unknownToken(), from: freshAddress()}
	}},
	{"revoked", 3, []int{401}, false, func(r *topology) call {
		return call{path: r.tokens.shipment, token: r.tokens.revoked, from: freshAddress()}
	}},
	{"expired", 2, []int{401}, false, func(r *topology) call {
		return call{path: r.tokens.shipment, token: r.tokens.expired, from: freshAddress()}
	}},
	{"no token", 3, []int{401}, false, func(*topology) call { return call{path: "/api/v1/shipments", from: freshAddress()} }},
}

// kindOf returns a kind by its name. A repeated create is a create.
func kindOf(name string) kind {
	if name == kindRepeat {
		name = kindCreate
	}
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })]
}

// newCreate is a create with a new reference, which is also its Idempotency-Key.
func (r *topology) newCreate() call {
	reference := fmt.Sprintf("CHAOS-%06d", r.created.Add(1))
	return r.create(r.tokens.writer, reference)
}

func (r *topology) create(token, reference string) call {
	return call{
		method: http.MethodPost, path: "/api/v1/shipments", token: token, reference: reference,
		body: fmt.Sprintf(`{"shipment":{"reference":%q,"vessel":"MSC Carmen","origin":"Cape Town, ZA","destination":"Rotterdam, NL"}}`, reference),
	}
}
