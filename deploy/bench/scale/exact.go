package main

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// writers is how many write at once.
const writers = 8

// exactness is what was seen of totals while others wrote.
type exactness struct {
	created, deleted, moved int
	lists                   int
	wrong                   int // totals that cannot have been true at any instant of their request
	took                    []time.Duration
	after                   bool // each status's total is the number of its rows afterwards
}

// tally counts what was begun and what was acknowledged.
type tally struct{ begun, done atomic.Int64 }

func (t *tally) count(do func() error) error {
	t.begun.Add(1)
	err := do()
	if err == nil {
		t.done.Add(1)
	}
	return err
}

// writeAndList lets writers create shipments, move them from status to status
// and delete them for a while, and lists the organization meanwhile. A total is
// right when it lies between what was certainly there all the time and what may
// have been there.
func writeAndList(ctx context.Context, db *sql.DB, address string, org organization, length time.Duration) (seen exactness, err error) {
	a := newAPI(address, org.name)
	var created, deleted, moved tally
	var over atomic.Bool
	var all errgroup.Group
	for range writers {
		all.Go(func() error {
			for turn := 0; !over.Load(); turn++ {
				if err := write(ctx, a, turn, &created, &deleted, &moved); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for began := time.Now(); time.Since(began) < length && err == nil; {
		least, most := created.done.Load(), -deleted.done.Load()
		sent := time.Now()
		var p page
		if p, err = a.list(ctx, "", 1); err != nil {
			break
		}
		seen.took = append(seen.took, time.Since(sent))
		least -= deleted.begun.Load()
		most += created.begun.Load()
		if grown := int64(p.Meta.Total - org.total[""]); grown < least || grown > most {
			seen.wrong++
		}
	}
	over.Store(true)
	if err := errors.Join(err, all.Wait()); err != nil {
		return seen, err
	}
	seen.lists = len(seen.took)
	seen.created, seen.deleted, seen.moved = int(created.done.Load()), int(deleted.done.Load()), int(moved.done.Load())
	seen.after, err = isExact(ctx, db, a, org)
	return seen, err
}

// write creates a shipment and, by turns, leaves it, deletes it, or takes it
// through two more statuses.
func write(ctx context.Context, a api, turn int, created, deleted, moved *tally) error {
	var shipment string
	if err := created.count(func() (err error) {
		shipment, err = a.create(ctx)
		return err
	}); err != nil {
		return err
	}
	switch turn % 3 {
	case 0:
		return nil
	case 1:
		return deleted.count(func() error { _, err := a.call(ctx, "DELETE", shipment, "", nil, nil); return err })
	}
	if err := moved.count(func() error {
		_, err := a.call(ctx, "POST", shipment+"/documents", jsonType, []byte(`{"document":{"type":"packing_list","pallets":[
			{"pallet_number":"P-1","produce_name":"Avocado Hass","calibre":"18","boxes":264,"box_weight_kg":4}]}}`), nil)
		return err
	}); err != nil {
		return err
	}
	return moved.count(func() error {
		_, err := a.call(ctx, "POST", shipment+"/reject", jsonType, []byte(`{"reason":"counted anew"}`), nil)
		return err
	})
}

// isExact compares the total of each status with the number of its rows.
func isExact(ctx context.Context, db *sql.DB, a api, org organization) (bool, error) {
	rows, err := count(ctx, db, org.id)
	if err != nil {
		return false, err
	}
	totals := map[string]int{}
	for _, status := range statuses {
		p, err := a.list(ctx, status, 1)
		if err != nil {
			return false, err
		}
		if p.Meta.Total > 0 {
			totals[status] = p.Meta.Total
		}
	}
	return maps.Equal(rows, totals), nil
}
