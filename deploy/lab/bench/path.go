//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/quayside/quayside/deploy/lab/load"
)

// comparePath measures the stacks of two commits, with an organization of eight shipments. Requests of 6898084 used
// 0.26 (list), 0.38 (get) and 0.66 (token) of the CPU time of the first version; the goals are 0.33, 0.48 and 0.8
// of it.
func comparePath(ctx context.Context, s settings, facts string) (err error) {
	kinds := []kind{{name: "list", cpu: 1.27}, {name: "get", cpu: 1.26}, {name: "token", cpu: 1.21}}
	for _, commit := range []string{s.base, "HEAD"} {
		st, err := startStack(ctx, s, commit)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, st.stop()) }() //nolint:contextcheck // also after ctx
		o, err := st.newOrganization(ctx, 8)
		if err != nil {
			return fmt.Errorf("%s: %w", commit, err)
		}
		for i, path := range []func(n int) string{
			func(int) string { return "/api/v1/shipments" },
			func(n int) string { return "/api/v1/shipments/" + o.shipments[n%len(o.shipments)] },
			func(int) string { return "/api/v1/token" },
		} {
			into := &kinds[i].ours
			if commit == s.base {
				into = &kinds[i].other
			}
			*into = st.side(commit, get(o.tokens, path))
		}
	}
	return s.compare(ctx, facts, kinds)
}

// small is how many shipments the organization has that the large one is
// compared with.
const small = 1000

// compareScale measures lists of a large organization beside the same of a small
// one.
func compareScale(ctx context.Context, s settings, facts string) (err error) {
	st, err := startStack(ctx, s, "HEAD")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.stop()) }() //nolint:contextcheck // also after ctx
	kinds := []kind{
		{name: "first page"},
		{name: "first page of approved"},
		{name: "first page of pending"},
		{name: "last page"},
	}
	for _, n := range []int{s.rows, small} {
		o, err := st.newOrganization(ctx, 1)
		if err != nil {
			return err
		}
		if err := st.fill(ctx, n); err != nil {
			return fmt.Errorf("fill an organization: %w", err)
		}
		for i, query := range []string{"", "status=approved", "status=pending", fmt.Sprintf("page=%d", n/25)} {
			into := &kinds[i].ours
			if n == small {
				into = &kinds[i].other
			}
			kinds[i].cpu = 1.3
			*into = st.side(fmt.Sprintf("%d shipments", n),
				get(o.tokens, func(int) string { return "/api/v1/shipments?" + query }))
		}
	}
	return s.compare(ctx, facts, kinds)
}

// organization is one whose requests are measured.
type organization struct{ tokens, shipments []string }

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
	return o, nil
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
	var made struct{ Shipment struct{ ID string } }
	if err := json.NewDecoder(res.Body).Decode(&made); err != nil || res.StatusCode != http.StatusCreated {
		return "", fmt.Errorf("create a shipment: %s (%w)", res.Status, err)
	}
	return made.Shipment.ID, nil
}

func (st *stack) side(name string, requests []load.Request) side {
	return side{name, st.address, st.cmd.Process.Pid, requests, http.StatusOK}
}
