package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// measurement names a series of figures: those of all rounds.
type measurement struct {
	scenario string // its key
	mode     mode
	target   string
}

// results are the figures of each measurement, a round after the other.
type results map[measurement][]figures

// run measures everything.
func (r *rig) run(ctx context.Context, list []scenario) (results, error) {
	all := results{}
	for _, sc := range list {
		if err := r.play(ctx, sc, all); err != nil {
			return nil, fmt.Errorf("%s: %w", sc.title, err)
		}
	}
	return all, nil
}

// play measures one scenario, by turns: in each round everything once, and
// every other round in the opposite order.
func (r *rig) play(ctx context.Context, sc scenario, all results) (err error) {
	if sc.before != nil {
		if err := sc.before(ctx); err != nil {
			return err
		}
	}
	if sc.after != nil {
		defer func() { err = errors.Join(err, sc.after(context.WithoutCancel(ctx))) }()
	}
	targets := append([]string{gateway}, sc.beside...)
	for round := range r.settings.rounds {
		_, _ = fmt.Fprintf(r.settings.log, "measuring %s, %d of %d\n", sc.title, round+1, r.settings.rounds)
		for _, m := range []mode{saturated, steady} {
			order := slices.Clone(targets)
			if round%2 == 1 {
				slices.Reverse(order)
			}
			for _, target := range order {
				f, err := r.measure(ctx, sc, m, target)
				if err != nil {
					return err
				}
				key := measurement{sc.key, m, target}
				all[key] = append(all[key], f)
			}
		}
		if sc.scriptKeys > 0 {
			rates := all[measurement{sc.key, saturated, gateway}]
			f, err := r.measureScripts(ctx, sc, rates[len(rates)-1].throughput)
			if err != nil {
				return err
			}
			key := measurement{sc.key, saturated, scripts}
			all[key] = append(all[key], f)
		}
	}
	return r.profile(ctx, sc)
}
