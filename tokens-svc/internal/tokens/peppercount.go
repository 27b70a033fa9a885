package tokens

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// pepperCountAge is how old a count may be that PepperCount returns again.
const pepperCountAge = 10 * time.Second

// PepperCount compares the peppers that stored tokens need with those that are
// loaded. It is safe for concurrent use and asks the storage at most once in 10
// seconds, one query at a time.
type PepperCount struct {
	count   func(context.Context) (map[int]int, error)
	peppers Peppers
	now     func() time.Time
	mu      sync.Mutex
	counted map[int]int
	at      time.Time
}

// NewPepperCount returns a PepperCount for a program with these peppers. count
// returns how many live tokens, neither revoked nor expired, need each version of
// the pepper.
func NewPepperCount(count func(context.Context) (map[int]int, error), p Peppers, now func() time.Time) *PepperCount {
	return &PepperCount{count: count, peppers: p, now: now}
}

// Counts returns the number of live tokens by pepper version, also of a version
// that is loaded and not needed. It returns the error of count.
func (c *PepperCount) Counts(ctx context.Context) (map[int]int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counted == nil || c.now().Sub(c.at) >= pepperCountAge {
		counted, err := c.count(ctx)
		if err != nil {
			return nil, fmt.Errorf("count tokens by pepper version: %w", err)
		}
		c.counted, c.at = map[int]int{}, c.now()
		for _, k := range c.peppers.Ring {
			c.counted[k.Version] = 0
		}
		maps.Copy(c.counted, counted)
	}
	return maps.Clone(c.counted), nil
}

// Ready returns an error while a live token needs a version that is not loaded.
func (c *PepperCount) Ready(ctx context.Context) error {
	counts, err := c.Counts(ctx)
	if err != nil {
		return err
	}
	for _, version := range slices.Sorted(maps.Keys(counts)) {
		if _, loaded := c.peppers.Find(version); !loaded && counts[version] > 0 {
			return fmt.Errorf("%d live tokens need pepper version %d, which TOKEN_PEPPERS does not hold", counts[version],
				version)
		}
	}
	return nil
}
