package integration

import (
	"strings"
	"testing"

	"golang.org/x/net/http2"
)

// As TestReservedHeadersOfClientsAreRemoved, for HTTP/2, which has no Connection header and only names in lower case.
func TestReservedHeadersOfClientsAreRemovedOverHTTP2(t *testing.T) {
	t.Parallel()

	upstream := new(recorder)
	g := start(t, options{upstream: upstream, env: map[string]string{"TRUSTED_PROXIES": ""}})
	type attempt struct {
		fields, trailers []string
		malformed        bool // after RFC 9113, section 8.1.1; refused
	}
	cases := map[string]attempt{"nothing": {}}
	for _, spelling := range identityNames {
		name := strings.ToLower(spelling)
		underscored := strings.ReplaceAll(name, "-", "_")
		cases[name+" plain"] = attempt{fields: []string{name, "evil"}}
		cases[name+" twice"] = attempt{fields: []string{name, "evil", name, "evil"}}
		cases[name+" with _"] = attempt{fields: []string{underscored, "evil"}}
		cases[name+" with one _"] = attempt{fields: []string{strings.Replace(name, "-", "_", 1), "evil"}}
		cases[name+" with ."] = attempt{fields: []string{strings.ReplaceAll(name, "-", "."), "evil"}}
		cases[name+" as documented"] = attempt{fields: []string{spelling, "evil"}, malformed: spelling != name}
		cases[name+" in upper case"] = attempt{fields: []string{strings.ToUpper(name), "evil"}, malformed: true}
		cases[name+" with a space"] = attempt{fields: []string{name + " ", "evil"}, malformed: true}
		cases[name+" in connection"] = attempt{fields: []string{"connection", name}, malformed: true}
		cases[name+" in te"] = attempt{fields: []string{"te", "trailers, " + name}, malformed: true}
		cases[name+" in a trailer"] = attempt{fields: []string{"trailer", name}, trailers: []string{name, "evil"}}
		cases[name+" in a trailer unannounced"] = attempt{trailers: []string{name, "evil"}}
	}
	for name, tt := range cases {
		upstream.last.Store(nil)
		token, id := g.tokens.create("")
		send := func() (status, body string) {
			c := g.dialHTTP2(t)
			defer func() { _ = c.Close() }()
			fields := append([]string{
				":method", "POST", ":scheme", "http", ":authority", "api", ":path", "/api/v1/shipments", "authorization", "Bearer " + token,
			}, tt.fields...)
			if err := c.open(tt.trailers == nil, fields...); err != nil {
				t.Fatal(err)
			}
			if tt.trailers != nil {
				if err := c.WriteHeaders(http2.HeadersFrameParam{
					StreamID: c.stream, BlockFragment: c.encode(tt.trailers), EndHeaders: true, EndStream: true,
				}); err != nil {
					t.Fatal(err)
				}
			}
			return c.answer()
		}
		status, body := send()
		for timedOut(body) {
			status, body = send()
		}
		got := upstream.last.Load()
		switch {
		case tt.malformed && (got != nil || status == "200"):
			t.Errorf("%s: forwarded, %s", name, status)
		case tt.malformed:
		case got == nil:
			t.Errorf("%s: not forwarded: %s %s", name, status, body)
		default:
			hasGatewayIdentity(t, name, id, g.client, got)
		}
	}
}
