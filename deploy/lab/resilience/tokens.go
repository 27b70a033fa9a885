package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"sync/atomic"
)

// tokens are the credentials of the load, and the shipment that it requests.
type tokens struct {
	reader, writer   string // known to the gateway, in constant use
	limited          string // limitedQuota requests in limitedWindow
	revoked, expired string
	shipment         string // the path of one

	fresh []string // valid and unknown to the gateway
	used  atomic.Int64
}

const (
	limitedQuota  = 5
	limitedWindow = 10 // seconds
	plenty        = "1000000"
	freshTokens   = 240 // in turn: the gateway has forgotten one by the time it is used again
)

// createTokens creates the tokens with the command line of tokens-svc.
func createTokens(ctx context.Context, b *testbed) (t *tokens, err error) {
	t = &tokens{}
	organization := b.stack.Demo.Organization
	if t.fresh, err = b.stack.CreateTokens(ctx, freshTokens, organization, "shipments:read"); err != nil {
		return nil, err
	}
	window := []string{"--limit", fmt.Sprint(limitedQuota), "--window-seconds", fmt.Sprint(limitedWindow)}
	for _, row := range []struct {
		into       *string
		permission string
		flags      []string
	}{
		{&t.reader, "shipments:read", []string{"--limit", plenty}},
		{&t.writer, "shipments:write", []string{"--limit", plenty}},
		{&t.limited, "shipments:read", window},
		{&t.expired, "shipments:read", []string{"--expires-in", "1s"}},
	} {
		made, err := b.stack.CreateToken(ctx, organization, row.permission, row.flags...)
		if err != nil {
			return nil, err
		}
		*row.into = made.Secret
	}
	revoked, err := b.stack.CreateToken(ctx, organization, "shipments:read")
	t.revoked = revoked.Secret
	return t, errors.Join(err, b.stack.RevokeToken(ctx, revoked.ID), t.findShipment(ctx, b.client))
}

// nextFresh returns a valid token that the gateway does not know.
func (t *tokens) nextFresh() string { return t.fresh[int(t.used.Add(1))%len(t.fresh)] }

// findShipment chooses the shipment that the load requests.
func (t *tokens) findShipment(ctx context.Context, c *client) error {
	s, body := c.do(ctx, call{path: "/api/v1/shipments?per_page=1", token: t.reader})
	var list struct{ Shipments []struct{ ID string } }
	if err := json.Unmarshal(body, &list); err != nil || len(list.Shipments) == 0 {
		return errors.New("the list of shipments: " + s.outcome())
	}
	t.shipment = "/api/v1/shipments/" + list.Shipments[0].ID
	return nil
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// unknownToken returns a token that does not exist, with a correct checksum: the
// CRC-32 in base62.
func unknownToken() string {
	random := make([]byte, 44)
	for i := range random {
		random[i] = base62[rand.IntN(len(base62))]
	}
	token := fmt.Sprintf("shpt_live_%s_%s", random[:12], random[12:])
	sum := crc32.ChecksumIEEE([]byte(token))
	var digits [6]byte
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return token + string(digits[:])
}

// freshAddress returns a random loopback address.
func freshAddress() string {
	return fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(250), rand.IntN(256), 1+rand.IntN(250))
}
