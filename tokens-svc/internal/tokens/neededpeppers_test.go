package tokens_test

import (
	"strings"
	"testing"
)

func TestTokensNeedTheirPeppers(t *testing.T) {
	t.Parallel()
	loaded := peppers(t, 3, 2)
	if err := loaded.Missing([]int{2}); err != nil {
		t.Error(err)
	}
	if err := loaded.Missing([]int{1, 2}); err == nil || !strings.Contains(err.Error(), "need pepper version 1") {
		t.Errorf("a version is missing: %v", err)
	}
}
