package integration

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// waitUntilFollowing returns when the change stream is connected.
func (g *gateway) waitUntilFollowing(t *testing.T) {
	t.Helper()
	eventually(t, func() bool {
		return !strings.Contains(g.metrics(t), "quayside_gateway_revocation_lag_seconds +Inf\n")
	}, "no stream", g.log)
}

// untilStatus sends requests with token, one after another, until a response has that status.
func (g *gateway) untilStatus(t *testing.T, token string, status int) {
	t.Helper()
	caller := newCaller(t)
	eventually(t, func() bool {
		return g.get(t, "/api/v1/shipments", caller, token).StatusCode == status
	}, "a response "+strconv.Itoa(status), g.log)
}

// A revoked token is refused at every gateway long before its result would be introspected again.
func TestARevokedTokenIsRefusedEverywhere(t *testing.T) {
	t.Parallel()

	tokens := newTokensService(t)
	gateways := []*gateway{start(t, options{tokens: tokens}), start(t, options{tokens: tokens})}
	token, id := tokens.create(plenty)
	for _, g := range gateways {
		g.untilStatus(t, token, http.StatusOK)
		g.waitUntilFollowing(t)
	}
	tokens.change(token, id, `{"active":false,"reason":"revoked"}`)
	for _, g := range gateways {
		g.untilStatus(t, token, http.StatusUnauthorized)
	}
}
