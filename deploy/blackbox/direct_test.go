package blackbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

const createBody = `{"shipment":{"reference":"PO-4711","vessel":"MSC Carmen","origin":"Cape Town, ZA","destination":"Rotterdam, NL"}}`

// token returns a new token of an organization of its own: generated requests
// delete shipments of the demo organization at the same time. The gateway has introspected it.
func token(t *testing.T, permissions string) string {
	t.Helper()
	organization, err := stack.CreateOrganization(t.Context(), t.Name())
	if err != nil {
		t.Fatal(err)
	}
	created, err := stack.CreateToken(t.Context(), organization, permissions)
	if err != nil {
		t.Fatal(err)
	}
	must(t, &request{method: "GET", target: "/api/v1/token", header: []field{{"Authorization", "Bearer " + created.Secret}}})
	return created.Secret
}

// must sends a request, fails the test if the response violates a guarantee of the
// API documents, and returns the response.
func must(t *testing.T, r *request) response {
	t.Helper()
	res, err := r.send()
	if err == nil {
		err = r.verdict(res)
	}
	if err != nil {
		t.Errorf("%v\n\t%s", err, r)
	}
	return res
}

func wantStatus(t *testing.T, r *request, want int) response {
	t.Helper()
	res := must(t, r)
	if res.status != want {
		t.Errorf("%s %.80s: %d, want %d: %.300s", r.method, r.target, res.status, want, res.body)
	}
	return res
}

// A percent-encoded path is equal to the plain one (RFC 3986, 6.2.2.2), and no
// encoding makes the gateway panic.
func TestPercentEncodedPathsAreEqualToPlainOnes(t *testing.T) {
	secret := token(t, "shipments:read")
	for i, c := range []struct {
		target           string
		without, withOne int // status without a token and with one
	}{
		{"/%61", 401, 404},
		{"/problem%73", 200, 200},
		{"/docs%2f", 401, 404},
		{"/api/v1/shipment%73", 401, 200},
		{"/api/v1/shipments/ship%5F1", 401, 404},
		{"/api/v1/shipments%3Fpage=1", 401, 404},
		{"/api/v1/shipments/%ff", 401, 404},
		{"/api/v1/shipments/%00", 401, 404},
		{"/api/v1/tokens/%ff", 401, 403},
	} {
		for want, headers := range map[int][]field{c.without: nil, c.withOne: {{"Authorization", "Bearer " + secret}}} {
			for _, method := range []string{"GET", "POST", "DELETE"} {
				r := &request{method: method, target: c.target, header: headers, from: fmt.Sprintf("127.31.0.%d", i+1)}
				res := must(t, r)
				if method == "GET" && res.status != want {
					t.Errorf("%s, token: %v: %d, want %d: %.200s", c.target, headers != nil, res.status, want, res.body)
				}
			}
		}
	}
}

// Without a trusted proxy, requests count in the window of the connection's address,
// whatever address the headers claim.
func TestAForgedForwardedAddressDoesNotEscapeTheAddressWindow(t *testing.T) {
	names := []string{"X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Client-Address", "CF-Connecting-IP", "True-Client-IP"}
	refused := 0
	for i := range 250 {
		r := &request{method: "GET", target: "/api/v1/shipments", from: "127.31.1.1"}
		for _, name := range names {
			value := fmt.Sprintf("198.51.100.%d", i)
			if name == "Forwarded" {
				value = "for=" + value
			}
			r.set(name, value)
		}
		switch res := must(t, r); res.status {
		case http.StatusUnauthorized:
		case http.StatusTooManyRequests:
			refused++
		default:
			t.Fatalf("%d, want 401 or 429", res.status)
		}
	}
	// The test takes less than two windows of a hundred.
	if refused < 50 {
		t.Errorf("of 250 requests without a token from one address %d were refused, want at least 50", refused)
	}
}

func TestBodiesOverTheLimitAre413(t *testing.T) {
	secret := token(t, "admin")
	auth := []field{{"Authorization", "Bearer " + secret}, {"Content-Type", "application/json"}}
	created := wantStatus(t, &request{method: "POST", target: "/api/v1/shipments", header: auth, body: []byte(createBody)}, 201)
	documents := created.header.Get("Location") + "/documents"
	large := func(n int) []byte { return []byte(`{"shipment":{"reference":"` + strings.Repeat("x", n) + `"}}`) }
	wantStatus(t, &request{method: "POST", target: "/api/v1/shipments", header: auth, body: large(2 << 20)}, 413)
	wantStatus(t, &request{method: "POST", target: documents, header: auth, body: large(15 << 20)}, 413)
	wantStatus(t, &request{method: "POST", target: "/api/v1/tokens", header: auth, body: large(15 << 20)}, 413)
	wantStatus(t, &request{method: "POST", target: "/api/v1/webhook_endpoints", header: auth, body: large(2 << 20)}, 413)
}

// A service must not refuse headers that the gateway forwards.
func TestOnlyTheGatewayRefusesLargeHeaders(t *testing.T) {
	secret := token(t, "admin")
	for _, target := range []string{"/api/v1/shipments", "/api/v1/tokens"} {
		for kib := 1; kib <= 48; kib += 3 {
			r := &request{method: "GET", target: target, header: []field{
				{"Authorization", "Bearer " + secret}, {"X-Padding", strings.Repeat("x", kib<<10)},
			}}
			if res := must(t, r); res.status != 200 && !byNetHTTP(res) {
				t.Errorf("%s with %d KiB of headers: %d", target, kib, res.status)
			}
		}
	}
}

// Responses to several requests on one connection are in the order of the requests.
func TestPipelinedRequestsAreAnsweredInOrder(t *testing.T) {
	secret := token(t, "shipments:read")
	c, err := connect("127.31.2.1", 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	var all []byte
	pages := []string{"/api/v1/shipments?page=1", "/api/v1/shipments?page=0", "/none", "/api/v1/token", "/docs"}
	for _, target := range pages {
		r := &request{method: "GET", target: target, header: []field{{"Authorization", "Bearer " + secret}}}
		all = append(all, r.head()...)
	}
	if _, err := c.Write(all); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{200, 400, 404, 200, 200} {
		res, err := c.read("GET")
		if err != nil || res.status != want {
			t.Fatalf("response %d (%s): %d, %v; want %d", i, pages[i], res.status, err, want)
		}
	}
}

// A request with another spelling of its path is the same operation.
func TestAnIdempotencyKeyAppliesToEverySpellingOfAPath(t *testing.T) {
	header := []field{
		{"Authorization", "Bearer " + token(t, "admin")},
		{"Content-Type", "application/json"},
		{"Idempotency-Key", "spelling"},
	}
	var locations []string
	for _, target := range []string{"/api/v1/shipments", "/api/v1/shipment%73", "/api/%76%31/shipments"} {
		res := wantStatus(t, &request{method: "POST", target: target, header: header, body: []byte(createBody)}, 201)
		locations = append(locations, res.header.Get("Location"))
	}
	if locations[0] != locations[1] || locations[0] != locations[2] {
		t.Errorf("got %q, want one shipment", locations)
	}
}
