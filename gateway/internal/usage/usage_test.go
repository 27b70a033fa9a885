package usage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const (
	credential = "a credential of thirty-two bytes."
	token      = "tok_4fZyo82mVyR1"
)

var (
	noon   = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	office = netip.MustParseAddr("192.0.2.1")
	home   = netip.MustParseAddr("2001:db8::1")
)

// service is a tokens service without a network, for a synctest bubble.
type service struct {
	mu      sync.Mutex
	status  func() int            // instead of 204; 0: no response
	batches []map[string][2]int64 // token → passed, refused
	at      []time.Time
	seen    []Outcome
	request *http.Request // the last one
	body    string
	err     error
}

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := http.StatusNoContent
	if s.status != nil {
		status = s.status()
	}
	if status == 0 {
		return nil, errors.New("gone")
	}
	body, _ := io.ReadAll(r.Body)
	s.request, s.body = r, string(body)
	if status == http.StatusNoContent {
		var report struct{ Usage []use }
		if err := json.Unmarshal(body, &report); err != nil {
			return nil, err
		}
		batch := map[string][2]int64{}
		for _, u := range report.Usage {
			batch[u.Token] = [2]int64{u.Allowed, u.Refused}
		}
		s.batches, s.at = append(s.batches, batch), append(s.at, time.Now())
	}
	return &http.Response{StatusCode: status, Body: http.NoBody, Header: http.Header{"Location": {"/x"}}}, nil
}

// reporter returns a Reporter that reports to s.
func (s *service) reporter() *Reporter {
	return start(Config{
		Endpoint: "http://tokens/internal/v1/usage", Credential: credential,
		OnBatch: func(outcome Outcome, err error) { s.seen, s.err = append(s.seen, outcome), err },
	}, s)
}

func (s *service) totals() (passed, refused int64) {
	for _, batch := range s.batches {
		for _, u := range batch {
			passed, refused = passed+u[0], refused+u[1]
		}
	}
	return passed, refused
}

func TestReportFollowsTheContract(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := new(service)
		r := s.reporter()
		r.merge(use{Token: token, LastUsedAt: noon, Allowed: 100, Address: home})
		r.merge(use{Token: token, LastUsedAt: noon.Add(123456789), Allowed: 20, Refused: 3, Address: office})
		r.merge(use{Token: token, LastUsedAt: noon.Add(-time.Second), Refused: 1, Address: home}) // kept from before
		for range keptErrors + 1 {
			r.Fail(token, home, Failure{Status: 404, RequestID: "req_1", Request: "GET /" + strings.Repeat("…", 40)})
		}
		r.Count("tok_b", office, http.StatusTooManyRequests)
		r.mu.Lock()
		r.uses[token].LastUsedAt, r.uses["tok_b"].LastUsedAt = noon.Add(123456789), noon
		r.uses[token].Address = office
		r.uses[token].Errors = r.uses[token].Errors[keptErrors-1:]
		r.uses[token].Errors[0].At = noon
		r.mu.Unlock()
		r.Close()
		want := `{"token":"tok_4fZyo82mVyR1","last_used_at":"2026-11-20T12:00:00.123Z","count":120,"refused":4,` +
			`"address":"192.0.2.1","results":[0,0,0,0,0,0],` +
			`"errors":[{"at":"2026-11-20T12:00:00Z","status":404,"request_id":"req_1","request":"GET /` +
			strings.Repeat("…", (requestBytes-5)/3) + `"}]}`
		other := `{"token":"tok_b","last_used_at":"2026-11-20T12:00:00Z","count":0,"refused":1,"address":"192.0.2.1",` +
			`"results":[0,0,1,0,0,0]}`
		if strings.HasPrefix(s.body, `{"usage":[`+other) {
			want, other = other, want
		}
		want = `{"usage":[` + want + "," + other + "]}"
		if s.body != want || s.request.Method != http.MethodPost ||
			s.request.Header.Get("Authorization") != "Bearer "+credential ||
			s.request.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %v\n%s", s.request.Method, s.request.Header, s.body)
		}
	})
}

func TestLargestBatchIsUnder4MiB(t *testing.T) {
	t.Parallel()

	const most = 1<<63 - 1
	largest := use{
		Token: token, LastUsedAt: noon.Add(time.Millisecond), Allowed: most, Refused: most,
		Address: netip.MustParseAddr("2001:db8:1111:2222:3333:4444:5555:6666"),
		Results: [6]int64{most, most, most, most, most, most},
	}
	for range keptErrors {
		largest.Errors = append(largest.Errors, Failure{
			At: largest.LastUsedAt, Status: 404, RequestID: "req_01m7xzb5v7f55b6dm66nymzbcb",
			Request: strings.Repeat("&", requestBytes),
		})
	}
	if body, err := encode(slices.Repeat([]*use{&largest}, batchTokens)); err != nil || len(body) > 4<<20 {
		t.Errorf("a batch may have %d bytes, %v", len(body), err)
	}
}

func TestOneBatchEveryTenSecondsAndOneOnClose(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s := new(service)
		r := s.reporter()
		begin := time.Now()
		for range 2_500 { // 25 s at 100 requests a second
			r.Count("tok_hot", office, http.StatusOK)
			time.Sleep(10 * time.Millisecond)
		}
		r.Count("tok_other", home, http.StatusTooManyRequests)
		r.Close()
		if len(s.batches) != 3 || s.at[0].Sub(begin) != Interval || s.at[1].Sub(begin) != 2*Interval ||
			s.at[2].Sub(begin) != 25*time.Second {
			t.Fatalf("%d batches at %v", len(s.batches), s.at)
		}
		if passed, refused := s.totals(); passed != 2_500 || refused != 1 {
			t.Errorf("%d passed, %d refused", passed, refused)
		}
	})
}

func TestNoUsageIsNoReport(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s := new(service)
		r := s.reporter()
		time.Sleep(time.Minute)
		r.Close()
		if len(s.seen) > 0 {
			t.Error("a report was sent")
		}
	})
}

func TestBatchesThatAreNotAcceptedAreKeptAndMerged(t *testing.T) {
	t.Parallel()

	for _, status := range []int{0, 302, 401, 403, 404, 429, 500, 503} {
		synctest.Test(t, func(t *testing.T) {
			s := &service{status: func() int { return status }}
			r := s.reporter()
			for range 3 {
				r.Count("tok_a", office, http.StatusOK)
				r.Count("tok_b", office, http.StatusForbidden)
				time.Sleep(Interval)
				synctest.Wait()
			}
			if text := fmt.Sprint(s.err); s.err == nil || strings.Contains(text, credential) || strings.Contains(text, "tok_") {
				t.Errorf("%d: error %v", status, s.err)
			}
			s.status = nil
			r.Count("tok_a", home, http.StatusOK)
			r.Close()
			want := map[string][2]int64{"tok_a": {4}, "tok_b": {0, 3}}
			if len(s.batches) != 1 || fmt.Sprint(s.batches[0]) != fmt.Sprint(want) ||
				fmt.Sprint(s.seen) != "[kept kept kept delivered]" {
				t.Errorf("%d: batches %v, outcomes %v", status, s.batches, s.seen)
			}
		})
	}
}

// More tokens than one batch holds.
func TestManyTokensAreSentInSeveralBatches(t *testing.T) {
	t.Parallel()

	for first, tt := range map[int]struct {
		seen string
		lost int64 // requests
	}{
		204: {"[delivered delivered delivered]", 0},
		0:   {"[kept delivered delivered delivered]", 0},
		400: {"[dropped delivered delivered]", batchTokens},
		422: {"[dropped delivered delivered]", batchTokens},
	} {
		synctest.Test(t, func(t *testing.T) {
			attempts := 0
			s := &service{status: func() int {
				if attempts++; attempts == 1 {
					return first
				}
				return http.StatusNoContent
			}}
			r := s.reporter()
			for n := range 2*batchTokens + 7 {
				r.Count(fmt.Sprint("tok_", n), office, http.StatusOK)
			}
			time.Sleep(Interval)
			synctest.Wait()
			r.Close()
			passed, _ := s.totals()
			if fmt.Sprint(s.seen) != tt.seen || passed+tt.lost != 2*batchTokens+7 {
				t.Errorf("%d: outcomes %v, %d reported, %d lost", first, s.seen, passed, tt.lost)
			}
		})
	}
}

func TestCountingAKnownTokenAllocatesNothing(t *testing.T) {
	r := &Reporter{uses: map[string]*use{}}
	r.Count(token, office, http.StatusOK)
	if n := testing.AllocsPerRun(1000, func() { r.Count(token, home, http.StatusOK) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
