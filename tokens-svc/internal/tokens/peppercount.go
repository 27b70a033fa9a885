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
	config  Config
	now     func() time.Time
	mu      sync.Mutex
	counted map[int]int
	at      time.Time
	ready   bool // was ready before
}

// NewPepperCount returns a PepperCount for a program with that configuration. count
// returns how many live tokens, neither revoked nor expired, need each version
// of the pepper; version 0 stands for tokens without a MAC of their bounds.
func NewPepperCount(count func(context.Context) (map[int]int, error), c Config, now func() time.Time) *PepperCount {
	return &PepperCount{count: count, config: c, now: now}
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
		c.counted, c.at = map[int]int{0: 0}, c.now()
		for _, k := range c.config.Peppers.Ring {
			c.counted[k.Version] = 0
		}
		maps.Copy(c.counted, counted)
	}
	return maps.Clone(c.counted), nil
}

// Ready returns an error while a live token needs a version that is not loaded.
// Until it has returned nil once, it also returns an error while a live token
// has no MAC of its bounds and SealOld is not set: then tokens of an earlier
// version of the program would be refused. Later such a token was altered.
func (c *PepperCount) Ready(ctx context.Context) error {
	counts, err := c.Counts(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := counts[0]; n > 0 && !c.config.SealOld && !c.ready {
		return fmt.Errorf("%d live tokens have no MAC of their bounds: after an upgrade from a version without these MACs, set SEAL_OLD_TOKENS=true until quayside_tokens_live_tokens{pepper_version=\"none\"} is 0; otherwise their rows were altered: revoke them", n)
	}
	delete(counts, 0)
	for _, version := range slices.Sorted(maps.Keys(counts)) {
		if _, loaded := c.config.Peppers.Find(version); !loaded && counts[version] > 0 {
			return fmt.Errorf("%d live tokens need pepper version %d, which TOKEN_PEPPERS does not hold", counts[version], version)
		}
	}
	c.ready = true
	return nil
}
