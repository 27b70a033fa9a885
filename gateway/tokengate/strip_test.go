package tokengate

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStripRemovesReservedHeaders(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		page       bool
		have, want http.Header
	}{
		"ordinary headers stay": {
			have: http.Header{"Accept": {"*/*"}, "Content-Type": {"application/json"}, "X-Forward": {"x"}, "X-Token": {"x"}},
			want: http.Header{"Accept": {"*/*"}, "Content-Type": {"application/json"}, "X-Forward": {"x"}, "X-Token": {"x"}},
		},
		"credentials go": {
			have: http.Header{"Authorization": {"Bearer x"}, "Cookie": {"a=b"}},
		},
		"cookies stay with a page, as themselves": {
			page: true,
			have: http.Header{
				"Authorization": {"Bearer x"}, "Cookie": {"a=b", "c=d"}, "COOKIE": {"x"},
				"X-Client-Address": {"x"},
			},
			want: http.Header{"Cookie": {"a=b", "c=d"}},
		},
		"identity goes in any spelling": {
			have: http.Header{
				"X-Client-Address": {"x"}, "x_client_address": {"x"},
				"X-Organization-Id": {"x"}, "x-organization-id": {"x"}, "X_Token_Id": {"x"}, "X.Token.Permissions": {"x"},
				"X-Request-ID": {"x"}, "X-Gateway_Assertion": {"x"}, "X-Ratelimit-Anything": {"x"}, "FORWARDED": {"x"},
			},
		},
		"what Connection names goes with it": {
			have: http.Header{
				"Connection": {"close, Keep-Alive,,x-hop", "X-Organization-ID"}, "Keep-Alive": {"1"},
				"X-Hop": {"x"}, "X-Kept": {"x"},
			},
			want: http.Header{"X-Kept": {"x"}},
		},
		"a WebSocket handshake stays": {
			have: http.Header{
				"Connection": {"keep-alive, upgrade", "X-Hop"}, "Upgrade": {"WebSocket"}, "X-Hop": {"x"},
				"Sec-Websocket-Key": {"k"},
			},
			want: http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Key": {"k"}},
		},
		"no other protocol is upgraded to": {
			have: http.Header{"Connection": {"Upgrade, HTTP2-Settings"}, "Upgrade": {"h2c"}, "Http2-Settings": {"x"}},
		},
		"two protocols are none": {
			have: http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket", "h2c"}},
		},
		"an upgrade that Connection does not name is none": {
			have: http.Header{"Upgrade": {"websocket"}},
		},
		"headers of proxies are removed": {
			have: http.Header{"X-Forwarded-For": {"x"}, "X-Forwarded-Prefix": {"x"}, "X_forwarded_user": {"x"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &http.Request{Method: http.MethodGet, ProtoMajor: 1, Header: tt.have, Trailer: http.Header{"X-Token-Id": nil}}
			strip(r, tt.page)
			if tt.want == nil {
				tt.want = http.Header{}
			}
			if diff := cmp.Diff(tt.want, r.Header); diff != "" {
				t.Error(diff)
			}
			if r.Trailer != nil {
				t.Error("trailers stay")
			}
		})
	}
}
