package introspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quayside/quayside/gateway/internal/bearer"
	"github.com/quayside/quayside/gateway/internal/introspect"
)

const (
	token      = "shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19"
	credential = "a credential of thirty-two bytes."
)

const activeAnswer = `{"active":true,"scope":"shipments:read","sub":"tok_4fZyo82mVyR1","organization_id":"org_01k9x3v7t2e8sbq4m6n0pacdfg"}`

// tokensService responds to introspections with a fixed body and counts them.
type tokensService struct {
	*httptest.Server
	asked  atomic.Int64
	mu     sync.Mutex
	status int
	body   string
}

func newTokensService(t *testing.T, body string) *tokensService {
	t.Helper()
	s := &tokensService{status: http.StatusOK, body: body}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.asked.Add(1)
		s.mu.Lock()
		defer s.mu.Unlock()
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.body)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *tokensService) answers(status int, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.body = status, body
}

// clock is a time that tests advance.
type clock struct{ offset atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(1_795_300_000, c.offset.Load()) }
func (c *clock) advance(d time.Duration) { c.offset.Add(int64(d)) }

func newIntrospector(t *testing.T, url string, c *clock) *introspect.Introspector {
	t.Helper()
	return newStreaming(t, url, nowhere, c)
}

// nowhere is an address without a change stream.
const nowhere = "http://127.0.0.1:1/changes"

func newStreaming(t testing.TB, introspection, changes string, c *clock) *introspect.Introspector {
	t.Helper()
	i := introspect.New(introspect.Config{
		Introspection: introspection, Changes: changes, Credential: credential, Now: c.now, OnStream: func(error) {},
	})
	t.Cleanup(i.Close)
	return i
}

func TestIntrospectFollowsTheContract(t *testing.T) {
	t.Parallel()

	raw, err := os.ReadFile("../../testdata/contract/introspection.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract map[string]json.RawMessage
	if err := json.Unmarshal(raw, &contract); err != nil {
		t.Fatal(err)
	}
	const organization = "org_01k9x3v7t2e8sbq4m6n0pacdfg"
	want := map[string]introspect.Result{
		"active": {
			Active: true, TokenID: "tok_4fZyo82mVyR1", Lineage: "tok_4fZyo82mVyR1", OrganizationID: organization,
			Permissions: "shipments:read shipments:write", ExpiresAt: time.Unix(1_803_031_432, 0),
			Limit: 100, Window: time.Minute, Revision: 812,
			AllowFrom: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")},
		},
		"active_never_expiring": {
			Active: true, TokenID: "tok_000000000001", Lineage: "tok_000000000001", OrganizationID: organization,
			Permissions: "shipments:read", Limit: 100, Window: time.Minute, Revision: 3,
		},
		"active_rotated": {
			Active: true, TokenID: "tok_000000000001", Lineage: "tok_000000000001", OrganizationID: organization,
			Permissions: "shipments:read", ExpiresAt: time.Unix(1_795_341_832, 0), Rotated: true, Limit: 100, Window: time.Minute, Revision: 814,
		},
		"inactive":         {},
		"inactive_revoked": {Reason: "revoked"},
		"inactive_expired": {Reason: "expired"},
	}
	if len(contract) != len(want) {
		t.Errorf("the contract has %d answers, this test knows %d", len(contract), len(want))
	}
	for name, body := range contract {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token := token
			if want[name].TokenID == "tok_000000000001" {
				token = "shpt_live_000000000001_0000000000000000000000000000000027i4HK"
			}
			got, err := newIntrospector(t, newTokensService(t, string(body)).URL, new(clock)).Introspect(t.Context(), token)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[name], *got, cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIntrospectSendsFormAndCredential(t *testing.T) {
	t.Parallel()

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.RawQuery != "" {
			t.Errorf("%s with query %q", r.Method, r.URL.RawQuery)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer "+credential {
			t.Errorf("Authorization %q", got)
		}
		if got := r.PostFormValue("token"); got != token {
			t.Errorf("token %q", got)
		}
		_, _ = io.WriteString(w, activeAnswer)
	}))
	t.Cleanup(server.Close)
	if _, err := newIntrospector(t, server.URL, new(clock)).Introspect(t.Context(), token); err != nil {
		t.Fatal(err)
	}
}

func TestFaultsAreUnavailableAndNeverInactive(t *testing.T) {
	t.Parallel()

	active := func(member, value string) string {
		return strings.Replace(activeAnswer, "{", fmt.Sprintf("{%q:%s,", member, value), 1)
	}
	without := func(member string) string {
		var all map[string]any
		if err := json.Unmarshal([]byte(activeAnswer), &all); err != nil {
			t.Fatal(err)
		}
		delete(all, member)
		raw, _ := json.Marshal(all)
		return string(raw)
	}
	for name, tt := range map[string]struct {
		status int
		body   string
	}{
		"500":                      {500, `{"active":false}`},
		"204":                      {204, ""},
		"redirect":                 {302, ""},
		"404":                      {404, `{"active":false}`},
		"empty":                    {200, ""},
		"not JSON":                 {200, "<html>"},
		"no active":                {200, `{"reason":"revoked"}`},
		"active null":              {200, `{"active":null}`},
		"active a string":          {200, `{"active":"true"}`},
		"active a number":          {200, `{"active":1}`},
		"cut short":                {200, activeAnswer[:40]},
		"endless":                  {200, `{"active":true,"scope":"` + strings.Repeat("x", 1<<17) + `"}`},
		"no organization":          {200, without("organization_id")},
		"no sub":                   {200, without("sub")},
		"organization of no form":  {200, strings.Replace(activeAnswer, "org_01", "org_01\\r\\n", 1)},
		"lineage of no form":       {200, active("lineage", `"tok_\r\n"`)},
		"lineage a number":         {200, active("lineage", `1`)},
		"scope with a line break":  {200, strings.Replace(activeAnswer, "shipments:read", "a\\nb", 1)},
		"limit 0":                  {200, active("rate_limit", `{"limit":0,"window_seconds":60}`)},
		"window 0":                 {200, active("rate_limit", `{"limit":1,"window_seconds":0}`)},
		"window over a day":        {200, active("rate_limit", `{"limit":1,"window_seconds":86401}`)},
		"limit over a million":     {200, active("rate_limit", `{"limit":1000001,"window_seconds":60}`)},
		"window of a negative":     {200, active("rate_limit", `{"limit":1,"window_seconds":-1}`)},
		"allow-list with no range": {200, active("ip_allow", `["office"]`)},
		"expiry a string":          {200, active("exp", `"tomorrow"`)},
		"revision a string":        {200, active("rev", `"812"`)},
		"another token's answer":   {200, strings.Replace(activeAnswer, "tok_4fZyo82mVyR1", "tok_000000000001", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newTokensService(t, tt.body)
			service.answers(tt.status, tt.body)
			i := newIntrospector(t, service.URL, new(clock))
			if answer, err := i.Introspect(t.Context(), token); answer != nil || !errors.Is(err, introspect.ErrUnavailable) {
				t.Fatalf("answer %+v, error %v", answer, err)
			}
			if _, ok := i.Cached(token); ok {
				t.Error("a fault was remembered")
			}
		})
	}
}

func TestRefusedCredentialIsErrCredential(t *testing.T) {
	t.Parallel()

	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		service := newTokensService(t, "")
		service.answers(status, `{"active":false}`)
		i := newIntrospector(t, service.URL, new(clock))
		_, err := i.Introspect(t.Context(), token)
		if !errors.Is(err, introspect.ErrCredential) || !errors.Is(err, introspect.ErrUnavailable) {
			t.Errorf("status %d: error %v", status, err)
		}
		if err := i.Probe(t.Context()); !errors.Is(err, introspect.ErrCredential) {
			t.Errorf("status %d: Probe says %v", status, err)
		}
	}
}

func TestErrorsContainNoSecret(t *testing.T) {
	t.Parallel()

	server := newTokensService(t, activeAnswer)
	server.Close()
	_, err := newIntrospector(t, server.URL, new(clock)).Introspect(t.Context(), token)
	if err == nil || strings.Contains(err.Error(), "shpt_") || strings.Contains(err.Error(), credential) {
		t.Errorf("error %v", err)
	}
}

func TestHungServiceTimesOut(t *testing.T) {
	t.Parallel()

	release := make(chan struct{})
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked.Add(1)
		<-release
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })

	start := time.Now()
	_, err := newIntrospector(t, server.URL, new(clock)).Introspect(t.Context(), token)
	if took := time.Since(start); !errors.Is(err, introspect.ErrUnavailable) || took > 4*introspect.Timeout {
		t.Errorf("error %v after %v", err, took)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times: a timeout is no reason to ask again", n)
	}
}

func TestConnectionErrorIsRetriedOnce(t *testing.T) {
	t.Parallel()

	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, activeAnswer)
	}))
	t.Cleanup(server.Close)
	answer, err := newIntrospector(t, server.URL, new(clock)).Introspect(t.Context(), token)
	if err != nil || !answer.Active || asked.Load() != 2 {
		t.Errorf("answer %+v, error %v, asked %d times", answer, err, asked.Load())
	}
}

func TestConcurrentIntrospectionsAreOneRequest(t *testing.T) {
	t.Parallel()

	var asked atomic.Int64
	arrived, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			close(arrived)
		}
		<-release
		_, _ = io.WriteString(w, activeAnswer)
	}))
	t.Cleanup(server.Close)
	i := newIntrospector(t, server.URL, new(clock))

	impatient, hangUp := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := i.Introspect(impatient, token)
		first <- err
	}()
	<-arrived

	var others sync.WaitGroup
	for range 20 {
		others.Go(func() {
			if answer, err := i.Introspect(t.Context(), token); err != nil || !answer.Active {
				t.Errorf("answer %+v, error %v", answer, err)
			}
		})
	}
	hangUp()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that hung up got %v", err)
	}
	close(release)
	others.Wait()
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times for one token", n)
	}
}

func TestCacheLifetimes(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		body     string
		lifetime time.Duration
	}{
		"active":   {activeAnswer, introspect.PositiveLifetime},
		"inactive": {`{"active":false}`, introspect.NegativeLifetime},
		"active, ends soon": {
			strings.Replace(activeAnswer, "{", fmt.Sprintf(`{"exp":%d,`, new(clock).now().Unix()+3), 1), 3 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := new(clock)
			i := newIntrospector(t, newTokensService(t, tt.body).URL, c)
			if _, ok := i.Cached(token); ok {
				t.Fatal("known before it was asked for")
			}
			if _, err := i.Introspect(t.Context(), token); err != nil {
				t.Fatal(err)
			}
			c.advance(tt.lifetime - time.Nanosecond)
			if _, ok := i.Cached(token); !ok {
				t.Error("forgotten too early")
			}
			c.advance(time.Nanosecond)
			if _, ok := i.Cached(token); ok {
				t.Error("used past its time")
			}
		})
	}
}

func TestActiveResultPastItsExpiryIsInactive(t *testing.T) {
	t.Parallel()

	c := new(clock)
	body := strings.Replace(activeAnswer, "{", fmt.Sprintf(`{"exp":%d,`, c.now().Unix()), 1)
	answer, err := newIntrospector(t, newTokensService(t, body).URL, c).Introspect(t.Context(), token)
	if err != nil || answer.Active || answer.Reason != "expired" {
		t.Errorf("answer %+v, error %v", answer, err)
	}
}

func TestRotatedTokenHasASuccessor(t *testing.T) {
	t.Parallel()

	body := strings.Replace(activeAnswer, "{", `{"exp":1803031432,"rotated_to":"tok_000000000001",`, 1)
	answer, err := newIntrospector(t, newTokensService(t, body).URL, new(clock)).Introspect(t.Context(), token)
	if err != nil || !answer.Rotated || answer.ExpiresAt.Unix() != 1_803_031_432 {
		t.Errorf("answer %+v, error %v", answer, err)
	}
}

func TestSmallestAndLargestQuotaAreAccepted(t *testing.T) {
	t.Parallel()

	for quota, want := range map[string]time.Duration{
		`{"limit":1,"window_seconds":1}`: time.Second, `{"limit":1000000,"window_seconds":86400}`: 24 * time.Hour,
	} {
		body := strings.Replace(activeAnswer, "{", `{"rate_limit":`+quota+`,`, 1)
		result, err := newIntrospector(t, newTokensService(t, body).URL, new(clock)).Introspect(t.Context(), token)
		if err != nil || result.Window != want {
			t.Errorf("%s: %+v, %v", quota, result, err)
		}
	}
}

func TestAdmitsMappedAddressesAsIPv4(t *testing.T) {
	t.Parallel()

	body := strings.Replace(activeAnswer, "{", `{"ip_allow":["192.0.2.0/24","::ffff:198.51.100.0/120","2001:db8::/32","203.0.113.7"],`, 1)
	answer, err := newIntrospector(t, newTokensService(t, body).URL, new(clock)).Introspect(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[string]bool{
		"192.0.2.9": true, "::ffff:192.0.2.9": true, "198.51.100.1": true, "2001:db8::1": true, "2001:db8::1%eth0": true,
		"203.0.113.7": true, "203.0.113.8": false, "192.0.3.1": false, "2001:db9::1": false,
	} {
		if got := answer.Admits(netip.MustParseAddr(addr)); got != want {
			t.Errorf("Admits(%s) = %v", addr, got)
		}
	}
	if answer.Admits(netip.Addr{}) {
		t.Error("an unknown address is admitted")
	}
}

func TestReadinessProbeIsAWellFormedToken(t *testing.T) {
	t.Parallel()

	tokens, err := bearer.NewFormat(bearer.DefaultPrefix)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !tokens.WellFormed(r.PostFormValue("token")) {
			t.Error("the probe would be refused for its form")
		}
		_, _ = io.WriteString(w, `{"active":false}`)
	}))
	t.Cleanup(server.Close)
	if err := newIntrospector(t, server.URL, new(clock)).Probe(t.Context()); err != nil {
		t.Error(err)
	}
}

// newWithCachedToken returns an introspector with a cached token.
func newWithCachedToken(tb testing.TB, c *clock) *introspect.Introspector {
	tb.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, activeAnswer)
	}))
	tb.Cleanup(server.Close)
	i := newStreaming(tb, server.URL, nowhere, c)
	if _, err := i.Introspect(tb.Context(), token); err != nil {
		tb.Fatal(err)
	}
	return i
}

func TestCachedResultAllocatesNothing(t *testing.T) {
	i := newWithCachedToken(t, new(clock))
	if n := testing.AllocsPerRun(1000, func() { _, _ = i.Cached(token) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCached(b *testing.B) {
	c := new(clock)
	i := newWithCachedToken(b, c)
	b.ReportAllocs()
	for b.Loop() {
		c.advance(1)
		_, _ = i.Cached(token)
	}
}
