package introspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quayside/quayside/gateway/internal/introspect"
)

func TestIntrospectSendsFormAndCredential(t *testing.T) {
	t.Parallel()

	server := newServer(t, func(w http.ResponseWriter, r *http.Request) {
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
	})
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
		"scope with two spaces":    {200, strings.Replace(activeAnswer, "shipments:read", "a:b  c:d", 1)},
		"scope beyond ASCII":       {200, strings.Replace(activeAnswer, "shipments:read", "a:é", 1)},
		"scope with a quote":       {200, strings.Replace(activeAnswer, "shipments:read", `a:\\`, 1)},
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
				t.Error("a fault was cached")
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

func TestConnectionErrorIsRetriedOnce(t *testing.T) {
	t.Parallel()

	var asked atomic.Int64
	server := newServer(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, activeAnswer)
	})
	answer, err := newIntrospector(t, server.URL, new(clock)).Introspect(t.Context(), token)
	if err != nil || !answer.Active || asked.Load() != 2 {
		t.Errorf("answer %+v, error %v, asked %d times", answer, err, asked.Load())
	}
}

func TestConcurrentIntrospectionsAreOneRequest(t *testing.T) {
	t.Parallel()

	var asked atomic.Int64
	arrived, release := make(chan struct{}), make(chan struct{})
	server := newServer(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			close(arrived)
		}
		<-release
		_, _ = io.WriteString(w, activeAnswer)
	})
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
