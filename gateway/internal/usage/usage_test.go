package usage

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// service is a tokens service without a network, for a synctest bubble.
type service struct {
	mu      sync.Mutex
	fails   func() (status int, connected bool) // status 0: no response
	batches []map[string][2]int64               // token → passed, refused
	at      []time.Time
	lost    int64
	seen    []Outcome
}

var errGone = errors.New("gone")

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status, connected := http.StatusNoContent, true
	if s.fails != nil {
		status, connected = s.fails()
	}
	if connected {
		httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
	}
	if status == 0 {
		return nil, errGone
	}
	if status == http.StatusNoContent {
		var report struct{ Usage []wireUse }
		if err := json.NewDecoder(r.Body).Decode(&report); err != nil {
			return nil, err
		}
		batch := map[string][2]int64{}
		for _, u := range report.Usage {
			batch[u.Token] = [2]int64{u.Count, u.Refused}
		}
		s.batches, s.at = append(s.batches, batch), append(s.at, time.Now())
	}
	return &http.Response{StatusCode: status, Body: http.NoBody, Header: http.Header{}}, nil
}

// reporter returns a Reporter that reports to s.
func (s *service) reporter() *Reporter {
	c := newClient("http://tokens/internal/v1/usage", credential)
	c.http.Transport = s
	return start(Config{
		OnBatch: func(outcome Outcome, _ error) { s.seen = append(s.seen, outcome) },
		OnLost:  func(n int64) { s.lost += n },
	}, c)
}

func (s *service) totals() (passed, refused int64) {
	for _, batch := range s.batches {
		for _, u := range batch {
			passed, refused = passed+u[0], refused+u[1]
		}
	}
	return passed, refused
}

func TestOneBatchEveryTenSecondsAndOneOnClose(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s := new(service)
		r := s.reporter()
		begin := time.Now()
		for range 2_500 { // 25 s at 100 requests a second
			r.Passed("tok_hot", office)
			time.Sleep(10 * time.Millisecond)
		}
		r.Refused("tok_other", home)
		r.Close()
		if len(s.batches) != 3 || s.at[0].Sub(begin) != Interval || s.at[1].Sub(begin) != 2*Interval ||
			s.at[2].Sub(begin) != 25*time.Second {
			t.Fatalf("%d batches at %v", len(s.batches), s.at)
		}
		if passed, refused := s.totals(); passed != 2_500 || refused != 1 || s.lost != 0 {
			t.Errorf("%d passed, %d refused, %d lost", passed, refused, s.lost)
		}
		for n, tokens := range []int{1, 1, 2} {
			if len(s.batches[n]) != tokens {
				t.Errorf("batch %d is about %d tokens, want %d", n, len(s.batches[n]), tokens)
			}
		}
	})
}

func TestNoUsageIsNoReport(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s := &service{fails: func() (int, bool) { t.Error("a report was sent"); return 204, true }}
		r := s.reporter()
		time.Sleep(time.Minute)
		r.Close()
	})
}

// Batches that were not received are sent again, merged with new usage.
func TestUndeliveredBatchesAreKeptAndMerged(t *testing.T) {
	t.Parallel()

	for name, failure := range map[string]func() (int, bool){
		"away":    func() (int, bool) { return 0, false },
		"refuses": func() (int, bool) { return http.StatusServiceUnavailable, true },
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &service{fails: failure}
			r := s.reporter()
			for range 3 {
				r.Passed("tok_a", office)
				r.Refused("tok_b", office)
				time.Sleep(Interval)
				synctest.Wait()
			}
			s.fails = nil
			r.Passed("tok_a", home)
			r.Close()
			want := map[string][2]int64{"tok_a": {4}, "tok_b": {0, 3}}
			if len(s.batches) != 1 || fmt.Sprint(s.batches[0]) != fmt.Sprint(want) || s.lost != 0 ||
				fmt.Sprint(s.seen) != "[kept kept kept delivered]" {
				t.Errorf("%s: batches %v, lost %d, outcomes %v", name, s.batches, s.lost, s.seen)
			}
		})
	}
}

func TestBatchWithoutResponseIsNotSentTwice(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s := &service{fails: func() (int, bool) { return 0, true }}
		r := s.reporter()
		r.Passed("tok_a", office)
		r.Refused("tok_a", office)
		time.Sleep(Interval)
		synctest.Wait()
		s.fails = nil
		r.Passed("tok_a", office)
		r.Close()
		if passed, refused := s.totals(); passed != 1 || refused != 0 || s.lost != 2 {
			t.Errorf("%d passed, %d refused, %d lost", passed, refused, s.lost)
		}
	})
}

// More tokens than one batch holds: after a failed batch the others wait, after a rejected one they are sent.
func TestManyTokensAreSentInSeveralBatches(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		first     int
		connected bool
		seen      string
		lost      int64
	}{
		"all well":             {204, true, "[delivered delivered delivered]", 0},
		"first cannot connect": {0, false, "[kept delivered delivered delivered]", 0},
		"first is unanswered":  {0, true, "[dropped delivered delivered]", batchTokens},
		"first is not correct": {422, true, "[dropped delivered delivered]", batchTokens},
	} {
		synctest.Test(t, func(t *testing.T) {
			attempts := 0
			s := &service{fails: func() (int, bool) {
				if attempts++; attempts == 1 {
					return tt.first, tt.connected
				}
				return 204, true
			}}
			r := s.reporter()
			for n := range 2*batchTokens + 7 {
				r.Passed(fmt.Sprint("tok_", n), office)
			}
			time.Sleep(Interval)
			synctest.Wait()
			r.Close()
			passed, _ := s.totals()
			if fmt.Sprint(s.seen) != tt.seen || s.lost != tt.lost || passed+s.lost != 2*batchTokens+7 {
				t.Errorf("%s: outcomes %v, %d reported, %d lost", name, s.seen, passed, s.lost)
			}
		})
	}
}

func TestCloseReportsLostRequests(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s := &service{fails: func() (int, bool) { return 0, false }}
		r := s.reporter()
		r.Passed("tok_a", office)
		begin := time.Now()
		r.Close()
		if s.lost != 1 || time.Since(begin) > 2*CloseTimeout {
			t.Errorf("%d lost after %v", s.lost, time.Since(begin))
		}
	})
}
