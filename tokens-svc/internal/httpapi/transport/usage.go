package transport

import (
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// maxReports is how many tokens a gateway may report on at once.
const maxReports = 10_000

// decodeUsage reads thousands of reports at once, from programs and not from
// people: it is quick, and names the first fault only.
func decodeUsage(r *http.Request) ([]tokens.Use, error) {
	if err := checkType(r.Header, plainJSON); err != nil {
		return nil, err
	}
	text, err := readText(r)
	if err != nil {
		return nil, err
	}
	var body struct {
		Usage []tokens.Use `json:"usage"`
	}
	if err := json.Unmarshal(text, &body, json.RejectUnknownMembers(true)); err != nil {
		return nil, &jsonbody.SyntaxError{Reason: "the body is no report of usage: " + err.Error()}
	}
	if body.Usage == nil || len(body.Usage) > maxReports {
		detail := fmt.Sprintf("usage is required, and has at most %d entries", maxReports)
		return nil, &bodyError{[]problem.Field{{Code: string(tokens.InvalidValue), Pointer: "/usage", Detail: detail}}}
	}
	return body.Usage, nil
}
