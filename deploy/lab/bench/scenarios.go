//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
)

// The kinds of traffic of `bench gateway`: saturated, and at steadyRate.
const (
	manyTokens = "1,000 tokens"
	steadyMany = "1,000 tokens, 2,000/s"
	exhausted  = "all refused (429)"
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
	// The first request, before the load begins, uses up the window of a day.
	spent, err := b.stack.CreateTokens(ctx, 1, b.stack.Demo.Organization, "shipments:read",
		"--limit", "1", "--window-seconds", "86400")
	if err != nil {
		return nil, err
	}
	var all []kind
	for _, row := range []struct {
		name   string
		rate   int
		tokens []string
		want   int
	}{
		{manyTokens, 0, many, http.StatusOK},
		{steadyMany, steadyRate, many, http.StatusOK},
		{exhausted, 0, spent, http.StatusTooManyRequests},
	} {
		requests := make([][]byte, len(row.tokens))
		for i, token := range row.tokens {
			requests[i] = request(http.MethodGet, "/api/v1/shipments?page=1&per_page=2", token, "")
		}
		all = append(all, kind{name: row.name, rate: row.rate, to: map[string]traffic{
			gateway: {requests, row.want}, bare: {requests, http.StatusOK},
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
