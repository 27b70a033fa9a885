package integration

import (
	"encoding/json"
	"net/http"
	"syscall"
	"testing"
	"time"
)

// reported is the sum of the reports about one token.
type reported struct {
	Count, Refused int
	Address        string
	LastUsedAt     time.Time `json:"last_used_at"`
}

// until reads reports until the sum of the token's requests is that number.
func (s *tokensService) until(t *testing.T, id string, requests int) (sum reported) {
	t.Helper()
	for deadline := time.After(2 * patience); sum.Count+sum.Refused < requests; {
		select {
		case <-deadline:
			t.Fatalf("reported so far: %+v", sum)
		case text := <-s.reports:
			var report struct {
				Usage []struct {
					Token string
					reported
				}
			}
			if err := json.Unmarshal([]byte(text), &report); err != nil {
				t.Fatal(err)
			}
			for _, u := range report.Usage {
				if u.Token == id {
					u.Count, u.Refused = u.Count+sum.Count, u.Refused+sum.Refused
					sum = u.reported
				}
			}
		}
	}
	return sum
}

func TestUsesAreReportedAtShutdownAndSurviveAReload(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	token, id := g.tokens.create(`,"rate_limit":{"limit":3,"window_seconds":86400}`)
	caller := newCaller(t)
	passed, refused := 0, 0
	for n := range 5 {
		if a := g.get(t, "/api/v1/shipments", caller, token); a.StatusCode == http.StatusOK {
			passed++
		} else {
			refused++
		}
		if n == 2 {
			g.reload(t)
		}
	}
	begin := time.Now()
	if err := g.process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	got := g.tokens.until(t, id, passed+refused)
	if got.Count != passed || got.Refused != refused || refused == 0 {
		t.Errorf("reported %+v, want %d passed and %d refused", got, passed, refused)
	}
	if got.Address != caller || got.LastUsedAt.After(begin) || begin.Sub(got.LastUsedAt) > time.Minute {
		t.Errorf("last used %v from %s, want before %v from %s", got.LastUsedAt, got.Address, begin, caller)
	}
}
