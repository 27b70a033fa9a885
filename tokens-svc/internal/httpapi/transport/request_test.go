package transport_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

// TestRequestIDIsTheGatewaysOrGenerated, the same in the problem and in
// the log.
func TestRequestIDIsTheGatewaysOrGenerated(t *testing.T) {
	t.Parallel()
	const gateways = "req_01k9x3v7t2e8sbq4m6n0pacdfh"
	for sent, kept := range map[string]bool{
		gateways: true, "": false, "req_1": false,
		"1\n{}": false, gateways + "0": false,
	} {
		p := with(t, failing(errors.New("must not be asked")))
		res := p.ask(t, http.MethodGet, "/nowhere", org, "tok_000000000001", func(r *http.Request) {
			r.Header.Set("X-Request-ID", sent)
		})
		problem := wantProblem(t, res, http.StatusNotFound, "not_found")
		if (problem.RequestID == sent) != kept {
			t.Errorf("sent %q, got %q", sent, problem.RequestID)
		}
		if !strings.Contains(p.log.String(), problem.RequestID) {
			t.Errorf("%s is not in the log: %s", problem.RequestID, p.log)
		}
	}
}
