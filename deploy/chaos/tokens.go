package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// tokens are the credentials of the load, and the shipment that it requests.
type tokens struct {
	reader, writer   string // known to the gateway, in constant use
	counter          string // used only after faults
	limited          string // limitedQuota requests in limitedWindow
	revoked, expired string
	revocable        devstack.Token // valid until a fault revokes it
	shipment         string         // the path of one

	fresh []string // valid and unknown to the gateway: each for one use
	used  atomic.Int64
}

const (
	limitedQuota  = 5
	limitedWindow = 10  // seconds
	freshTokens   = 256 // at most; then the first ones are used again
	plenty        = "1000000"
)

// createTokens creates the tokens for a load of that time with the command line of tokens-svc.
func createTokens(ctx context.Context, stack *devstack.Stack, loaded time.Duration) (*tokens, error) {
	fresh, err := stack.CreateTokens(ctx, min(freshTokens, kindOf(kindFresh).rate*int(loaded.Seconds())), stack.Demo.Organization, "shipments:read")
	if err != nil {
		return nil, err
	}
	c := &tokens{fresh: fresh}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	token := func(into *string, permissions string, more ...string) {
		group.Go(func() (err error) {
			made, err := stack.CreateToken(ctx, stack.Demo.Organization, permissions, more...)
			*into = made.Secret
			return err
		})
	}
	token(&c.reader, "shipments:read", "--limit", plenty)
	token(&c.counter, "shipments:read", "--limit", plenty)
	token(&c.writer, "shipments:write", "--limit", plenty)
	token(&c.limited, "shipments:read", "--limit", fmt.Sprint(limitedQuota), "--window-seconds", fmt.Sprint(limitedWindow))
	token(&c.expired, "shipments:read", "--expires-in", "1s")
	group.Go(func() error {
		made, err := stack.CreateToken(ctx, stack.Demo.Organization, "shipments:read")
		c.revoked = made.Secret
		return errors.Join(err, stack.RevokeToken(ctx, made.ID))
	})
	return c, group.Wait()
}

// nextFresh returns a valid token that the gateway has not seen.
func (c *tokens) nextFresh() string { return c.fresh[int(c.used.Add(1))%len(c.fresh)] }

// findShipment chooses the shipment that the load requests.
func (c *tokens) findShipment(ctx context.Context, r *topology) error {
	s, body := r.client.do(ctx, call{path: "/api/v1/shipments?per_page=1", token: c.reader})
	if s.status != http.StatusOK {
		return fmt.Errorf("the list of shipments: %s", s.outcome())
	}
	var list struct{ Shipments []struct{ ID string } }
	if err := json.Unmarshal(body, &list); err != nil || len(list.Shipments) == 0 {
		return fmt.Errorf("no shipment in %s (%w)", body, err)
	}
	c.shipment = "/api/v1/shipments/" + list.Shipments[0].ID
	return nil
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// unknownToken returns a token that does not exist, with a correct checksum.
func unknownToken() string {
	random := make([]byte, 44)
	for i := range random {
		random[i] = base62[rand.IntN(len(base62))] //nolint:gosec // G404: it opens nothing
	}
	token := fmt.Sprintf("shpt_live_%s_%s", random[:12], random[12:])
	return token + checksum(token)
}

// checksum is the CRC-32 at the end of a token, in base62.
func checksum(token string) string {
	sum := crc32.ChecksumIEEE([]byte(token))
	var digits [6]byte
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return string(digits[:])
}

// freshAddress returns a random client address, so that refusals do not use up
// the window of one address.
func freshAddress() string {
	//nolint:gosec // G404: an address is no secret
	return fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(250), rand.IntN(256), 1+rand.IntN(250))
}
