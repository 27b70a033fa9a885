package tokens_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestPepperCountIsReadyOnlyWithEveryNeededPepper(t *testing.T) {
	t.Parallel()
	stored, down := map[int]int{1: 3, 2: 5}, error(nil)
	c := tokens.NewPepperCount(func(context.Context) (map[int]int, error) { return stored, down }, peppers(t, 3, 2))
	if err := c.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "3 live tokens need pepper version 1") {
		t.Errorf("a version is missing: %v", err)
	}
	if counts, err := c.Counts(t.Context()); err != nil || !maps.Equal(counts, map[int]int{1: 3, 2: 5, 3: 0}) {
		t.Errorf("%v, %v", counts, err)
	}
	delete(stored, 1)
	if err := c.Ready(t.Context()); err != nil {
		t.Errorf("nothing needs the missing version any more: %v", err)
	}
	down = tokens.ErrUnavailable
	if err := c.Ready(t.Context()); !errors.Is(err, tokens.ErrUnavailable) {
		t.Errorf("the storage is away: %v", err)
	}
}
