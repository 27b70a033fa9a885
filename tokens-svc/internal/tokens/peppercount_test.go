package tokens_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestPepperCountIsReadyOnlyWithEveryNeededPepper(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	stored, asked := map[int]int{1: 3, 2: 5}, 0
	down := error(nil)
	c := tokens.NewPepperCount(func(context.Context) (map[int]int, error) {
		asked++
		return maps.Clone(stored), down
	}, peppers(t, 3, 2), func() time.Time { return now })

	if err := c.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "3 live tokens need pepper version 1") {
		t.Errorf("a version is missing: %v", err)
	}
	if counts, err := c.Counts(t.Context()); err != nil ||
		!maps.Equal(counts, map[int]int{1: 3, 2: 5, 3: 0}) || asked != 1 {
		t.Errorf("%v, %v after %d queries", counts, err, asked)
	}
	delete(stored, 1)
	if err := c.Ready(t.Context()); err == nil || asked != 1 {
		t.Errorf("within 10 s: %v after %d queries", err, asked)
	}
	now = now.Add(10 * time.Second)
	if err := c.Ready(t.Context()); err != nil {
		t.Errorf("nothing needs the missing version any more: %v", err)
	}
	now, down = now.Add(10*time.Second), tokens.ErrUnavailable
	if err := c.Ready(t.Context()); !errors.Is(err, tokens.ErrUnavailable) {
		t.Errorf("the storage is away: %v", err)
	}
}
