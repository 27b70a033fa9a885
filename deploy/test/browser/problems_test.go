package browser

import "testing"

func TestProblemPagesAreAccessible(t *testing.T) {
	t.Parallel()
	b := open(t)
	if status := b.visit("/problems"); status != 200 {
		t.Fatalf("/problems answered %d", status)
	}
	b.accessible()
	if status := b.follow(`a[href="/problems/rate_limited"]`); status != 200 {
		t.Fatalf("the link to a code answered %d", status)
	}
	b.sees("What to do")
	b.accessible()
}
