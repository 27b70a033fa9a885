package transport

import (
	"net/http"
	"net/netip"

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/endpoints"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// headerAddress carries the client's address, as the gateway found it out.
const headerAddress = "X-Client-Address"

// callerOf returns the caller that the gateway asserts.
func callerOf(r *http.Request) (endpoints.Caller, error) {
	id, err := assertion.FromHeader(r.Header)
	if err != nil {
		return endpoints.Caller{}, err
	}
	address, _ := netip.ParseAddr(r.Header.Get(headerAddress)) // for the audit log; without it the address is not known
	caller := endpoints.Caller{
		Partition: tokens.OrgID(id.Organization),
		Token:     tokens.TokenID(id.Token),
		Address:   address.Unmap(),
		RequestID: requestid.Of(r),
	}
	for _, p := range id.Permissions {
		caller.Permissions = append(caller.Permissions, tokens.Permission(p))
	}
	return caller, nil
}
