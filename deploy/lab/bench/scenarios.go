//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// perAddress is the number of 401 responses per client address; after 100 in a
// minute they would be 429.
const perAddress = 90

// The kinds of traffic of `bench gateway`: saturated, and at steadyRate.
const (
	manyTokens = "1,000 tokens"
	steadyMany = "1,000 tokens, 2,000/s"
	hotToken   = "one hot token"
	exhausted  = "all refused (429)"
	mistyped   = "all 401 by checksum"
	steadyRate = 2000
)

// scenarios creates the tokens and the traffic. A bare Caddy forwards everything.
func (b *testbed) scenarios(ctx context.Context) ([]kind, error) {
	organization, err := b.stack.CreateOrganization(ctx, "Bench") // one may have 1,000 tokens
	if err != nil {
		return nil, err
	}
	many, err := b.stack.CreateTokens(ctx, 1000, organization, "shipments:read",
		"--limit", "1000000", "--window-seconds", "60")
	if err != nil {
		return nil, err
	}
	spent, err := b.stack.CreateTokens(ctx, 16, b.stack.Demo.Organization, "shipments:read",
		"--limit", "1", "--window-seconds", "86400")
	if err != nil {
		return nil, err
	}
	if spent, err = b.exhaust(ctx, spent); err != nil {
		return nil, err
	}
	wrong := make([]string, len(many))
	for i, token := range many {
		last := byte('0')
		if strings.HasSuffix(token, "0") {
			last = '1'
		}
		wrong[i] = token[:len(token)-1] + string(last)
	}
	var all []kind
	for _, row := range []struct {
		name       string
		rate       int
		tokens     []string
		want       int
		renewAfter int
	}{
		{manyTokens, 0, many, http.StatusOK, 0},
		{steadyMany, steadyRate, many, http.StatusOK, 0},
		{hotToken, 0, many[:1], http.StatusOK, 0},
		{exhausted, 0, spent, http.StatusTooManyRequests, 0},
		{mistyped, 0, wrong, http.StatusUnauthorized, perAddress},
	} {
		requests := make([][]byte, len(row.tokens))
		for i, token := range row.tokens {
			requests[i] = request(http.MethodGet, "/api/v1/shipments?page=1&per_page=2", token, "")
		}
		all = append(all, kind{name: row.name, rate: row.rate, to: map[string]traffic{
			gateway: {requests, row.want, row.renewAfter}, bare: {requests, http.StatusOK, row.renewAfter},
		}})
	}
	return all, nil
}

// gatewayGoals are the goals of the gateway.
var gatewayGoals = []goal{
	{kind: manyTokens, side: gateway, ofSide: bare, what: "CPU", figure: cpu, most: 1.35},
	{kind: steadyMany, side: gateway, ofSide: bare, what: "CPU", figure: cpu, most: 1.45},
	{kind: steadyMany, side: gateway, ofSide: bare, what: "p99", figure: p99, most: 1.3},
	{kind: exhausted, side: gateway, ofSide: bare, what: "CPU", figure: cpu, most: 0.5},
	{kind: mistyped, side: gateway, ofSide: bare, what: "CPU", figure: cpu, most: 0.5},
}

// request returns a whole HTTP/1.1 request.
func request(method, target, token, body string) []byte {
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: api.example\r\nUser-Agent: quayside-bench\r\n"+
		"Accept: application/json\r\nAuthorization: Bearer %s\r\n", method, target, token)
	if body != "" {
		head += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	return []byte(head + "\r\n" + body)
}

// exhaust uses up each token's window and returns the tokens whose next window
// is not near: one that begins during a measurement would admit a request.
func (b *testbed) exhaust(ctx context.Context, tokens []string) (spent []string, err error) {
	url := "http://" + b.servers[gateway].Address + "/api/v1/shipments"
	for _, token := range tokens {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
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
