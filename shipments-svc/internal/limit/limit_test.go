package limit

import "testing"

func TestUseIsLimitedByKeyAndInAll(t *testing.T) {
	t.Parallel()
	const all, each = 510, 4
	l, n := New[byte](all, each), 0
	for key := range byte(200) {
		of := 0
		for l.TryAcquire(key, 1) {
			of++
		}
		if of != min(each, all-n) {
			t.Errorf("key %d has %d", key, of)
		}
		n += of
	}
	for key, used := range l.by {
		l.Release(key, used)
	}
	if l.used != 0 || len(l.by) != 0 {
		t.Errorf("%d, %v are left", l.used, l.by)
	}
}
