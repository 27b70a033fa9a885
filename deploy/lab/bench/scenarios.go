package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// scenario is a kind of traffic. All targets receive the same requests.
type scenario struct {
	key, title string
	requests   [][]byte
	want       int      // the gateway's answer; Caddy without a gate forwards everything
	beside     []string // what the gateway is compared with, by name
	renewAfter int      // see load.Plan
	scriptKeys int      // number of windows of the script calls to compare with; 0: none
	before     func(context.Context) error
	after      func(context.Context) error
}

// Limits of tokens, as flags of tokens-svc.
var (
	never  = []string{"--limit", "1000000", "--window-seconds", "60"}
	onceIn = []string{"--limit", "1", "--window-seconds", "86400"}
)

// perAddress is the number of 401 responses per client address; after 100 in a
// minute they would be 429.
const perAddress = 90

// scenarios creates the tokens and lists the traffic.
func (r *testbed) scenarios(ctx context.Context) ([]scenario, error) {
	many, err := r.createTokens(ctx, r.settings.tokens, never)
	if err != nil {
		return nil, err
	}
	spent, err := r.createTokens(ctx, 16, onceIn)
	if err != nil {
		return nil, err
	}
	if spent, err = r.exhaust(ctx, spent); err != nil {
		return nil, err
	}
	mistyped := make([]string, len(many))
	for i, token := range many {
		last := byte('0')
		if strings.HasSuffix(token, "0") {
			last = '1'
		}
		mistyped[i] = token[:len(token)-1] + string(last)
	}
	all := []scenario{{
		key: "hot", title: "one hot token", requests: requests(many[:1]), want: http.StatusOK,
		beside: []string{bare}, scriptKeys: 1,
	}, {
		key: "many", title: fmt.Sprintf("%d tokens", len(many)), requests: requests(many), want: http.StatusOK,
		beside: []string{bare, ungated}, scriptKeys: len(many),
	}, {
		key: "refused", title: "all refused (429)", requests: requests(spent), want: http.StatusTooManyRequests,
		beside: []string{bare, plainHTTP},
	}, {
		key: "mistyped", title: "all 401 by checksum", requests: requests(mistyped), want: http.StatusUnauthorized,
		beside: []string{bare}, renewAfter: perAddress,
	}, {
		key: "redis-gone", title: fmt.Sprintf("%d tokens, Redis gone", len(many)), requests: requests(many), want: http.StatusOK,
		beside: []string{bare},
		before: func(context.Context) error {
			r.redisPID = 0
			return r.stack.StopRedis()
		},
		after: func(ctx context.Context) error {
			if err := r.stack.StartRedis(ctx); err != nil {
				return err
			}
			return r.inspectRedis(ctx)
		},
	}}
	if len(r.settings.only) == 0 {
		return all, nil
	}
	var chosen []scenario
	for _, key := range r.settings.only {
		i := slices.IndexFunc(all, func(s scenario) bool { return s.key == key })
		if i < 0 {
			return nil, fmt.Errorf("there is no scenario %s", key)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// requests are one GET with each token.
func requests(tokens []string) [][]byte {
	list := make([][]byte, len(tokens))
	for i, token := range tokens {
		list[i] = fmt.Appendf(nil, "GET /api/v1/shipments?page=1&per_page=2 HTTP/1.1\r\nHost: api.example\r\n"+
			"User-Agent: quayside-bench\r\nAccept: application/json\r\nAuthorization: Bearer %s\r\n\r\n", token)
	}
	return list
}

// createTokens creates n tokens with the command line of tokens-svc.
func (r *testbed) createTokens(ctx context.Context, n int, flags []string) ([]string, error) {
	_, _ = fmt.Fprintf(r.settings.log, "creating  %d tokens\n", n)
	return r.stack.CreateTokens(ctx, n, r.stack.Demo.Organization, "shipments:read", flags...)
}

// exhaust uses up each token's window and returns the tokens whose next window
// is not near: one that begins during a measurement would admit a request.
func (r *testbed) exhaust(ctx context.Context, tokens []string) ([]string, error) {
	var spent []string
	for _, token := range tokens {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.servers[gateway].Address+"/api/v1/shipments", nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		_ = res.Body.Close()
		reset, err := strconv.ParseInt(res.Header.Get("X-RateLimit-Reset"), 10, 64)
		if err != nil || res.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("spending a token: %s, X-RateLimit-Reset: %w", res.Status, err)
		}
		if time.Until(time.Unix(reset, 0)) > time.Hour {
			spent = append(spent, token)
		}
	}
	if len(spent) == 0 {
		return nil, fmt.Errorf("all of %d windows end within the hour", len(tokens))
	}
	return spent, nil
}
