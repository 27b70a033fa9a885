package heapfloor

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

// goal returns the size of the heap at which the next collection ends.
func goal() uint64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func TestCollectionsAreRarerByTheFloor(t *testing.T) {
	before := goal()
	Raise()
	if after := goal(); before >= size || after < before+size {
		t.Errorf("the heap may grow to %d bytes, without the floor to %d", after, before)
	}
}
