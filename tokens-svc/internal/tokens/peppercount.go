package tokens

import (
	"context"
	"fmt"
	"maps"
)

// PepperCount compares the peppers that stored tokens need with those that are
// loaded.
type PepperCount struct {
	count   func(context.Context) (map[int]int, error)
	peppers Peppers
}

// NewPepperCount returns a PepperCount for a program with these peppers. count
// returns how many live tokens, neither revoked nor expired, need each version of
// the pepper.
func NewPepperCount(count func(context.Context) (map[int]int, error), p Peppers) *PepperCount {
	return &PepperCount{count: count, peppers: p}
}

// Counts returns the number of live tokens by pepper version, also of a version
// that is loaded and not needed. It returns the error of count.
func (c *PepperCount) Counts(ctx context.Context) (map[int]int, error) {
	counted, err := c.count(ctx)
	if err != nil {
		return nil, fmt.Errorf("count tokens by pepper version: %w", err)
	}
	all := map[int]int{}
	for _, k := range c.peppers.Ring {
		all[k.Version] = 0
	}
	maps.Copy(all, counted)
	return all, nil
}

// Ready returns an error while a live token needs a version that is not loaded.
func (c *PepperCount) Ready(ctx context.Context) error {
	counts, err := c.Counts(ctx)
	for version, n := range counts {
		if _, loaded := c.peppers.Find(version); !loaded && n > 0 {
			return fmt.Errorf("%d live tokens need pepper version %d, which TOKEN_PEPPERS does not hold", n, version)
		}
	}
	return err
}
