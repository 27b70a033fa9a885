//go:build linux

package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	_ "github.com/lib/pq" // database/sql's "postgres"
)

// The sides of `bench path`.
const (
	base = "base"
	head = "head"
)

// The kinds of traffic of `bench path`, on an organization of eight shipments.
const (
	aList  = "list"
	aGet   = "get"
	aToken = "token"
)

// pathGoals bound what the whole path costs beside 6898084, whose requests used
// 0.26 (list), 0.38 (get) and 0.66 (token) of the CPU time of the first version;
// the goals are 0.33, 0.48 and 0.8 of it.
var pathGoals = []goal{
	{kind: aList, side: head, ofSide: base, what: "CPU", figure: cpu, most: 1.27},
	{kind: aGet, side: head, ofSide: base, what: "CPU", figure: cpu, most: 1.26},
	{kind: aToken, side: head, ofSide: base, what: "CPU", figure: cpu, most: 1.21},
}

// comparePath measures the stacks of two checkouts.
func comparePath(ctx context.Context, s settings) (_ *comparison, err error) {
	s.connections = 16
	c := &comparison{settings: s, goals: pathGoals}
	for _, name := range []string{aList, aGet, aToken} {
		c.kinds = append(c.kinds, kind{name: name, to: map[string]traffic{}})
	}
	for _, of := range []struct{ name, source string }{{base, s.base}, {head, s.head}} {
		st, err := startStack(ctx, s, of.name, of.source)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, st.stop()) }() //nolint:contextcheck // also after ctx
		o, err := st.newOrganization(ctx, 8)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", of.name, err)
		}
		c.sides = append(c.sides, st.side())
		c.kinds[0].to[of.name] = o.get(func(int) string { return "/api/v1/shipments" })
		c.kinds[1].to[of.name] = o.get(func(n int) string { return "/api/v1/shipments/" + o.shipments[n%len(o.shipments)] })
		c.kinds[2].to[of.name] = o.get(func(int) string { return "/api/v1/token" })
	}
	return c, c.run(ctx)
}

// small is how many shipments the organization has that the large one is
// compared with.
const small = 1000

// compareScale measures lists of a large organization beside the same of a small
// one.
func compareScale(ctx context.Context, s settings) (_ *comparison, err error) {
	s.connections = 16
	st, err := startStack(ctx, s, head, s.head)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.stop()) }() //nolint:contextcheck // also after ctx
	c := &comparison{settings: s, sides: []side{st.side()}}
	sizes := []int{s.rows, small}
	for _, n := range sizes {
		o, err := st.newOrganization(ctx, 1)
		if err != nil {
			return nil, err
		}
		if err := st.fill(ctx, o.id, n); err != nil {
			return nil, fmt.Errorf("fill an organization: %w", err)
		}
		for _, l := range lists(n) {
			c.kinds = append(c.kinds, kind{name: fmt.Sprintf("%s of %d", l.name, n), to: map[string]traffic{
				head: o.get(func(int) string { return "/api/v1/shipments?" + l.query }),
			}})
		}
	}
	for _, l := range lists(s.rows) {
		c.goals = append(c.goals, goal{
			kind: fmt.Sprintf("%s of %d", l.name, sizes[0]), ofKind: fmt.Sprintf("%s of %d", l.name, sizes[1]),
			side: head, what: "CPU", figure: cpu, most: 1.3,
		})
	}
	return c, c.run(ctx)
}

// lists are the lists that are measured of an organization with n shipments.
func lists(n int) []struct{ name, query string } {
	return []struct{ name, query string }{
		{"first page", ""},
		{"first page of approved", "status=approved"},
		{"first page of pending", "status=pending"},
		{"last page", fmt.Sprintf("page=%d", n/25)},
	}
}

// organization is one whose requests are measured.
type organization struct {
	id        string // as Postgres has it
	tokens    []string
	shipments []string
}

// clients is how many tokens of an organization send requests.
const clients = 100

const newShipment = `{"shipment":{"reference":"PO-2611-1","vessel":"MSC Carmen","origin":"Cape Town, South Africa",` +
	`"destination":"Rotterdam, Netherlands"}}`

// newOrganization creates an organization with tokens and n shipments.
func (st *stack) newOrganization(ctx context.Context, n int) (o organization, err error) {
	id, err := st.CreateOrganization(ctx, "Bench")
	if err != nil {
		return o, err
	}
	o.tokens, err = st.CreateTokens(ctx, clients, id, "shipments:read,shipments:write",
		"--limit", "1000000", "--window-seconds", "60")
	if err != nil {
		return o, err
	}
	for range n {
		shipment, err := st.createShipment(ctx, o.tokens[0])
		if err != nil {
			return o, err
		}
		o.shipments = append(o.shipments, shipment)
	}
	db, err := sql.Open("postgres", st.dsn)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return o, db.QueryRowContext(ctx, `SELECT organization_id FROM shipments ORDER BY created_at DESC LIMIT 1`).Scan(&o.id)
}

// createShipment returns the id.
func (st *stack) createShipment(ctx context.Context, token string) (string, error) {
	url := "http://" + st.address + "/api/v1/shipments"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(newShipment))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	var made struct{ Shipment struct{ ID string } }
	if err := json.Unmarshal(body, &made); err != nil || res.StatusCode != http.StatusCreated {
		return "", fmt.Errorf("create a shipment: %s: %s", res.Status, body)
	}
	return made.Shipment.ID, nil
}

// get is a GET with each token.
func (o organization) get(path func(n int) string) traffic {
	t := traffic{want: http.StatusOK}
	for n, token := range o.tokens {
		t.requests = append(t.requests, request(http.MethodGet, path(n), token, ""))
	}
	return t
}
