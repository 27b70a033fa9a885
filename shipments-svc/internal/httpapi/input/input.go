// Package input reads values of the domain from JSON bodies: of requests, and of the
// document of the seed command.
package input

import (
	"errors"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Faults returns the faults of a body as the domain's, or nil.
func Faults(b *jsonbody.Body) []shipments.Fault { return domainFaults(b.Faults()...) }

// Limited returns the results of parsing a body. The error of one beyond its limits is
// *shipments.Invalid.
func Limited(b *jsonbody.Body, err error) (*jsonbody.Body, error) {
	if beyond, ok := errors.AsType[*jsonbody.LimitError](err); ok {
		return b, &shipments.Invalid{Faults: domainFaults(beyond.Fault)}
	}
	return b, err
}

func domainFaults(faults ...jsonbody.Fault) (all []shipments.Fault) {
	for _, f := range faults {
		all = append(all, shipments.Fault{Code: shipments.FaultCode(f.Code), Pointer: f.Pointer, Detail: f.Detail})
	}
	return all
}

// Pallets reads a list of pallets.
func Pallets(objects []*jsonbody.Object) []shipments.Pallet {
	if objects == nil {
		return nil
	}
	all := make([]shipments.Pallet, 0, len(objects))
	for _, o := range objects {
		all = append(all, shipments.Pallet{
			Number:      o.Text("pallet_number"),
			ProduceName: o.Text("produce_name"),
			Calibre:     o.Text("calibre"),
			Boxes:       o.Int("boxes"),
			BoxWeight:   shipments.Grams(o.Thousandths("box_weight_kg")),
		})
	}
	return all
}
