package transport

import (
	"errors"

	"github.com/quayside/quayside/gateway/servicekit/jsonbody"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// faultsOf returns the faults of a body as the domain's, or nil.
func faultsOf(b *jsonbody.Body) []shipments.Fault { return domainFaults(b.Faults()...) }

// asInvalid turns the error of a body beyond its limits into *shipments.Invalid.
func asInvalid(b *jsonbody.Body, err error) (*jsonbody.Body, error) {
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
