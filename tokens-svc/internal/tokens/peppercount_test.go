package tokens_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestTokensNeedTheirPeppers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stored, asked, down := map[int]int{1: 3, 2: 5}, 0, error(nil)
		loaded := peppers(t, 3, 2)
		count := loaded.Count(func(context.Context) (map[int]int, error) { asked++; return maps.Clone(stored), down })
		missing := func() error {
			counts, err := count(t.Context())
			return errors.Join(err, loaded.Missing(counts))
		}
		if err := missing(); err == nil || !strings.Contains(err.Error(), "3 live tokens need pepper version 1") {
			t.Errorf("a version is missing: %v", err)
		}
		if counts, err := count(t.Context()); err != nil ||
			!maps.Equal(counts, map[int]int{1: 3, 2: 5, 3: 0}) || asked != 1 {
			t.Errorf("%v, %v after %d queries", counts, err, asked)
		}
		delete(stored, 1)
		time.Sleep(10 * time.Second)
		if err := missing(); err != nil {
			t.Errorf("nothing needs the missing version any more: %v", err)
		}
		time.Sleep(10 * time.Second)
		down = tokens.ErrUnavailable
		if err := missing(); !errors.Is(err, tokens.ErrUnavailable) {
			t.Errorf("the storage is away: %v", err)
		}
	})
}
