package transport

import (
	"net/http"
	"net/netip"

	"github.com/quayside/quayside/tokens-svc/internal/jsonbody"
	"github.com/quayside/quayside/tokens-svc/internal/problem"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// maxReports is how many tokens a gateway may report on at once.
const maxReports = 10_000

func decodeUsage(r *http.Request) ([]tokens.Use, error) {
	body, err := readJSON(r, plainJSON)
	if err != nil {
		return nil, err
	}
	o := body.Object()
	reports := o.Objects("usage")
	switch {
	case !o.Has("usage"):
		return nil, &bodyError{append(body.Faults(), problem.Field{Code: string(tokens.Required), Pointer: "/usage", Detail: "usage is required"})}
	case len(reports) > maxReports:
		return nil, &bodyError{[]problem.Field{{Code: string(tokens.TooLong), Pointer: "/usage", Detail: "at most 10000 entries are taken at once"}}}
	}
	uses := make([]tokens.Use, len(reports))
	for i, report := range reports {
		uses[i] = tokens.Use{
			Token:      tokens.TokenID(report.Text("token")),
			LastUsedAt: report.Time("last_used_at"),
			Requests:   int64(report.Int("count")),
			Refused:    int64(report.Int("refused")),
			Address:    readAddress(report),
		}
	}
	return uses, faultsOf(body)
}

// readAddress returns the address of a report, or zero where there is none.
func readAddress(report *jsonbody.Object) netip.Addr {
	text := report.Text("address")
	if text == "" {
		return netip.Addr{}
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		report.Wrong(string(tokens.InvalidValue), "address", "address must be an IP address")
	}
	return address
}

func encodeUsage(*http.Request, struct{}) reply { return reply{status: http.StatusNoContent} }
