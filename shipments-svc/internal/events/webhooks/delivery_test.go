package webhooks

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestSignatures compares signatures with the reference library of Standard Webhooks.
func TestSignatures(t *testing.T) {
	t.Parallel()
	secret, other := newSecret(), newSecret()
	now := time.Now()
	for name, body := range map[string]string{
		"some": `{"id":"evt_1"}`, "none": "", "with dots": "a.b.c",
		"not ASCII": "Valparaíso",
	} {
		signature := secret.Sign("evt_1", now.Unix(), []byte(body))
		header := http.Header{}
		header.Set("webhook-id", "evt_1")
		header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
		header.Set("webhook-signature", other.Sign("evt_1", now.Unix(), []byte(body))+" "+signature)
		check, err := standardwebhooks.NewWebhook(secret.Reveal())
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Verify([]byte(body), header); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		theirs, err := check.Sign("evt_1", now, []byte(body))
		if err != nil || theirs != signature {
			t.Errorf("%s: %s, want %s (%v)", name, signature, theirs, err)
		}
		if err := check.Verify([]byte(body+"x"), header); err == nil {
			t.Errorf("%s: another body passes", name)
		}
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	a, b := newSecret(), newSecret()
	if a == b || len(a) < 24 || !strings.HasPrefix(a.Reveal(), "whsec_") || strings.ContainsAny(a.Reveal(), " \n") {
		t.Errorf("%d bytes, %s", len(a), a.Reveal())
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
		if got := fmt.Sprintf(verb, a); got != "whsec_…" {
			t.Errorf("%s: %s", verb, got)
		}
		if got := fmt.Sprintf(verb, Job{Secrets: []Secret{a}}); strings.Contains(got, fmt.Sprintf("%x", a[:4])) ||
			strings.Contains(got, a.Reveal()) {
			t.Errorf("%s of a job shows it", verb)
		}
	}
}

// TestRetries: ten attempts, with backoffs extended by up to a fifth.
func TestRetries(t *testing.T) {
	t.Parallel()
	want := []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour,
		20 * time.Hour, 24 * time.Hour,
	}
	a := Attempt{At: time.Now(), Took: 15 * time.Second, Outcome: TimedOut}
	for i, wait := range want {
		for random, most := range map[float64]time.Duration{0: wait, 0.5: wait * 11 / 10, 1: wait * 12 / 10} {
			v := Evaluate(a, i+1, shipments.ShipmentCreated, random)
			if got := v.Due.Sub(a.At.Add(a.Took)).Round(time.Millisecond); v.Status != Pending || v.Health != Fails ||
				got != most {
				t.Errorf("attempt %d, %v: %+v after %s, want %s", i+1, random, v, got, most)
			}
		}
	}
	if v := Evaluate(a, 10, shipments.ShipmentCreated, 0); v != (Verdict{Status: Failed, Health: Fails}) {
		t.Errorf("after the tenth: %+v", v)
	}
}

func TestOutcomeOfAResponse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a    Attempt
		kind shipments.EventType
		want Verdict
	}{
		"accepted": {
			Attempt{Outcome: Accepted, Response: 204},
			shipments.ShipmentCreated,
			Verdict{Status: Delivered, Health: Works},
		},
		"gone": {
			Attempt{Outcome: Refused, Response: 410},
			shipments.ShipmentCreated,
			Verdict{Status: Failed, Health: Left},
		},
		"a test that fails": {Attempt{Outcome: TimedOut}, Test, Verdict{Status: Failed, Health: Unknown}},
		"a test":            {Attempt{Outcome: Accepted, Response: 200}, Test, Verdict{Status: Delivered, Health: Works}},
	} {
		if got := Evaluate(c.a, 1, c.kind, 0); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestAReceiversRetryAfterIsUsed where it is later than the backoff, for a day at most.
func TestAReceiversRetryAfterIsUsed(t *testing.T) {
	t.Parallel()
	for asked, want := range map[time.Duration]time.Duration{
		0: 5 * time.Second, time.Second: 5 * time.Second, -time.Hour: 5 * time.Second, time.Hour: time.Hour,
		1000 * time.Hour: 24 * time.Hour,
	} {
		v := Evaluate(Attempt{Outcome: Refused, Response: 429, RetryAfter: asked}, 1, shipments.ShipmentCreated, 0)
		if got := v.Due.Sub(time.Time{}); got != want {
			t.Errorf("%s: %s, want %s", asked, got, want)
		}
	}
}
