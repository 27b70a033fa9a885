package e2e

// shipment has the members of a shipment that tests read.
type shipment struct{ ID string }

type page struct {
	Shipments []shipment
	Meta      struct{ Total int }
}

type one struct{ Shipment shipment }

const valid = `{"shipment":{"reference":"PO-4711","vessel":"MSC Carmen",` +
	`"origin":"Cape Town, ZA","destination":"Rotterdam, NL"}}`
