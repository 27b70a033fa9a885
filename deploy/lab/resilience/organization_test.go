package resilience

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	neturl "net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// organization is a good or a hostile one. It uses its tokens in turn.
type organization struct {
	id            string
	client        *http.Client
	dialer        net.Dialer // from an address of its own
	email, cookie string     // of its owner, and of the owner's session
	tokens, fresh []string
	used          atomic.Int64

	shipment, document string // paths
	list               []byte // a file
}

const everyPermission = "admin,audit:read,documents:read,documents:write,shipments:read,shipments:review," +
	"shipments:write,webhooks:manage"

const password = "a lorry of oranges and limes" // of every owner

var (
	serial     atomic.Int64 // numbers what must be unique
	secret     = regexp.MustCompile(`shpt_live_\w+`)
	shipmentID = regexp.MustCompile(`ship_[0-9a-z]{26}`)
)

// newOrganization creates an organization with a shipment, whose owner is signed in. Its token has no limit, and its
// fresh tokens have the documented one.
func newOrganization(t *testing.T, fresh int, address string) *organization {
	t.Helper()
	o := &organization{list: palletList(2, 1), email: fmt.Sprintf("owner%d@lab.example", serial.Add(1))}
	o.dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(address)}
	o.client = &http.Client{
		Timeout:       40 * time.Second, // longer than what is documented for any request
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DisableKeepAlives: true, DialContext: o.dialer.DialContext,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		},
	}
	var err error
	if o.id, err = stack.CreateOrganization(t.Context(), "Lab"); err != nil {
		t.Fatal(err)
	}
	token, tokenErr := stack.CreateToken(t.Context(), o.id, everyPermission, "--limit", "1000000")
	temporary, userErr := stack.CreateUser(t.Context(), o.email, o.id, "owner")
	if err := errors.Join(tokenErr, userErr); err != nil {
		t.Fatal(err)
	}
	o.tokens, o.fresh = []string{token.Secret}, make([]string, fresh)
	var group errgroup.Group
	group.SetLimit(4)
	for i := range o.fresh {
		group.Go(func() error {
			s := createToken(t.Context(), o)
			for n := 0; n < 10 && s.status == http.StatusServiceUnavailable; n++ { // the machine is busy
				s = createToken(t.Context(), o)
			}
			o.fresh[i] = secret.FindString(string(s.body))
			return s.failure()
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	o.cookie = o.submit(t.Context(), "/sign-in", "email", o.email, "password", temporary).cookie
	must(t, o.submit(t.Context(), "/settings/password", "current", temporary, "password", password))
	must(t, signIn(t.Context(), o))
	o.ship(t, palletList(2, 1))
	return o
}

// sample is the outcome of a request.
type sample struct {
	status                 int // 0 without a response
	code                   string
	location, cookie, body string
	err                    error
}

// failure is nil unless there was no response, or one that is an error.
func (s sample) failure() error {
	if s.err == nil && s.status >= http.StatusBadRequest {
		return fmt.Errorf("%d %s", s.status, s.code)
	}
	return s.err
}

// must ends the test unless a request of its preparation was successful.
func must(t *testing.T, s sample) {
	t.Helper()
	if err := s.failure(); err != nil {
		t.Fatalf("prepare: %v: %.300s", err, s.body)
	}
}

// request sends a request: to the API with a token, otherwise with the session.
func (o *organization) request(ctx context.Context, method, path, token, body string, header ...string) (s sample) {
	r, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
	if err != nil {
		return sample{err: err}
	}
	r.Header.Set("Content-Type", "application/json")
	if r.Header.Set("Cookie", o.cookie); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for pair := range slices.Chunk(header, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	res, err := o.client.Do(r)
	if err != nil {
		return sample{err: err}
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	s = sample{status: res.StatusCode, location: res.Header.Get("Location"), body: string(content), err: err}
	for _, c := range res.Cookies() {
		s.cookie += c.Name + "=" + c.Value + "; "
	}
	if s.status >= http.StatusBadRequest {
		var problem struct{ Code string }
		_ = json.Unmarshal(content, &problem) // a page has none
		s.code = problem.Code
	}
	return s
}

func (o *organization) token() string { return o.tokens[int(o.used.Add(1))%len(o.tokens)] }

func (o *organization) get(ctx context.Context, path string, header ...string) sample {
	return o.request(ctx, http.MethodGet, path, o.token(), "", header...)
}

func (o *organization) post(ctx context.Context, path, body string) sample {
	return o.request(ctx, http.MethodPost, path, o.token(), body)
}

// submit sends a form with two fields.
func (o *organization) submit(ctx context.Context, path, name, value, name2, value2 string) sample {
	form := neturl.Values{name: {value}, name2: {value2}}.Encode()
	return o.request(ctx, http.MethodPost, path, "", form, "Content-Type", "application/x-www-form-urlencoded")
}

// attach attaches a packing list to a shipment, or has it read without storing it.
func (o *organization) attach(ctx context.Context, shipment, name string, list []byte, dry bool) sample {
	const body = `{"dry_run":%t,"document":{"type":"packing_list","filename":%q,"content_base64":%q}}`
	return o.post(ctx, shipment+"/documents", fmt.Sprintf(body, dry, name, base64.StdEncoding.EncodeToString(list)))
}

// ship creates the organization's shipment with packing lists and waits until they were read. Those beyond the limits
// are refused.
func (o *organization) ship(t *testing.T, lists ...[]byte) {
	t.Helper()
	s := create(t.Context(), o)
	must(t, s)
	o.shipment = s.location
	for _, list := range lists {
		if s = o.attach(t.Context(), o.shipment, "list.csv", list, false); s.status/100 != 4 {
			must(t, s)
		}
		o.document = s.location
	}
	must(t, o.settled(t.Context(), o.shipment))
}

// settled waits until the documents of a shipment were read.
func (o *organization) settled(ctx context.Context, shipment string) (s sample) {
	for s.body = `"status":"processing"`; s.failure() == nil && strings.Contains(s.body, `"status":"processing"`); {
		s = o.get(ctx, shipment, "Prefer", "wait=5")
	}
	return s
}

// await waits for what a change leads to.
func await(ctx context.Context, s sample, of string) sample {
	if s.failure() != nil {
		return s
	}
	select {
	case <-arrival(of):
	case <-time.After(10 * time.Second):
		s.err = errors.New("nothing arrived")
	case <-ctx.Done():
	}
	return s
}

// palletList is a packing list of so many pallets with so many lines each, unlike any other.
func palletList(pallets, lines int) []byte {
	b := bytes.NewBufferString("Pallet;SSCC;Product;Size;Cartons;Net kg/carton;Lot\n")
	for range pallets {
		n := serial.Add(1)
		digits, sum := fmt.Sprintf("0600123%010d", n), 0
		for i, digit := range digits { // GS1's check digit
			sum += int(digit-'0') * (3 - 2*(i%2))
		}
		for line := range lines {
			_, _ = fmt.Fprintf(b, "P%d;%s%d;Avocado Hass;%d;12;4,125;L%d\n", n, digits, (10-sum%10)%10, 10+line%20, line)
		}
	}
	return b.Bytes()
}
