package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// measurement identifies the figures of all rounds.
type measurement struct {
	scenario string // its key
	mode     mode
	target   string
}

// results are the figures of each measurement by round.
type results map[measurement][]figures

// run measures all scenarios.
func (r *testbed) run(ctx context.Context, list []scenario) (results, error) {
	all := results{}
	for _, sc := range list {
		if err := r.measureScenario(ctx, sc, all); err != nil {
			return nil, fmt.Errorf("%s: %w", sc.title, err)
		}
	}
	return all, nil
}

// measureScenario measures every target once per round, in alternating order.
func (r *testbed) measureScenario(ctx context.Context, sc scenario, all results) (err error) {
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
			key := measurement{sc.key, saturated, scriptCalls}
			all[key] = append(all[key], f)
		}
	}
	return r.profile(ctx, sc)
}
