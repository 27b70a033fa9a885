package main

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quayside/quayside/deploy/bench/benchmark"
)

// without is a part of creating shipments that triggers skip: they drop rows
// before they are inserted.
type without struct {
	title  string
	tables []string
}

// variants are the ways in which creates are measured.
var variants = []without{
	{title: "as it is"},
	{"without counters", []string{"shipment_counts"}},
	{"without events", []string{"outbox"}},
	{"without both", []string{"shipment_counts", "outbox"}},
}

// counted reports whether the counters include what is created.
func (w without) counted() bool { return len(w.tables) == 0 || w.tables[0] != "shipment_counts" }

// creates are what was measured of creating shipments: how many a second, each
// round.
type creates struct {
	rates     map[string][]float64 // by title
	uncounted int                  // shipments of which the counters do not know
	exact     bool                 // the total lacks those and no others
}

// ratio is the rate as it is by that without something, the median of the
// rounds'.
func (c creates) ratio(title string) float64 {
	ratios := make([]float64, len(c.rates[title]))
	for i, rate := range c.rates[title] {
		ratios[i] = c.rates[variants[0].title][i] / rate
	}
	return benchmark.Median(ratios)
}

// measureCreates lets writers create shipments of one organization for a while,
// in every way once a round.
func measureCreates(ctx context.Context, db *sql.DB, address string, org organization, s settings) (c creates, err error) {
	if _, err := db.ExecContext(ctx, `CREATE FUNCTION scale_drop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`); err != nil {
		return c, err
	}
	a := newAPI(address, org.name)
	c.rates = map[string][]float64{}
	for range s.createRounds {
		for _, w := range variants {
			if err := numbered(ctx, db); err != nil {
				return c, err
			}
			n, took, err := w.create(ctx, db, a, s.length)
			if err != nil {
				return c, err
			}
			c.rates[w.title] = append(c.rates[w.title], float64(n)/took.Seconds())
			if !w.counted() {
				c.uncounted += n
			}
		}
	}
	rows, err := count(ctx, db, org.id)
	if err != nil {
		return c, err
	}
	p, err := a.list(ctx, "", 1)
	c.exact = p.Meta.Total == rows[""]-c.uncounted
	return c, err
}

// create creates shipments for about as long, and returns how many.
func (w without) create(ctx context.Context, db *sql.DB, a api, length time.Duration) (n int, took time.Duration, err error) {
	for _, table := range w.tables {
		//nolint:gosec // G202: the names of tables above
		if _, err := db.ExecContext(ctx, `CREATE TRIGGER scale_drop BEFORE INSERT ON `+table+` FOR EACH ROW EXECUTE FUNCTION scale_drop()`); err != nil {
			return 0, 0, err
		}
	}
	defer func() {
		for _, table := range w.tables {
			_, dropErr := db.ExecContext(ctx, `DROP TRIGGER scale_drop ON `+table)
			err = errors.Join(err, dropErr)
		}
	}()
	var created atomic.Int64
	var all errgroup.Group
	began := time.Now()
	for range writers {
		all.Go(func() error {
			for time.Since(began) < length {
				if _, err := a.create(ctx); err != nil {
					return err
				}
				created.Add(1)
			}
			return nil
		})
	}
	err = all.Wait()
	return int(created.Load()), time.Since(began), err
}

// numbered waits until the service has numbered all events, which it does in the
// background, so that no measurement includes work of the one before.
func numbered(ctx context.Context, db *sql.DB) error {
	return every(ctx, 20*time.Millisecond, func() (done bool, err error) {
		err = db.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT FROM outbox)`).Scan(&done)
		return done, err
	})
}
