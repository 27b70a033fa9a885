package storage

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestAnOutageOfTheStoreIsNoted, and neither a missing file nor a client that gives up.
func TestAnOutageOfTheStoreIsNoted(t *testing.T) {
	t.Parallel()
	s, err := NewDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var noted []error
	s.Observe(func(err error) { noted = append(noted, err) })
	key := shipments.FileKey{Org: shipments.OrgID{1}, Document: shipments.DocumentID{2}}
	if _, err := s.Open(t.Context(), key); !errors.Is(err, shipments.ErrNoFile) || len(noted) > 0 {
		t.Fatalf("%v, noted %v", err, noted)
	}
	if err := s.Put(t.Context(), key, strings.NewReader("text"), 4); err != nil || !slices.Equal(noted, []error{nil}) {
		t.Fatalf("%v, noted %v", err, noted)
	}
	if err := s.Put(t.Context(), key, strings.NewReader("less"), 8); !errors.Is(err, shipments.ErrUnavailable) ||
		len(noted) != 2 ||
		!errors.Is(noted[1], err) {
		t.Errorf("%v, noted %v", err, noted)
	}
	for _, err := range s.List(t.Context(), time.Now()) { // a listing, such as that of a sweep, ends the outage, too
		if err != nil {
			t.Error(err)
		}
	}
	if len(noted) != 3 || noted[2] != nil {
		t.Errorf("noted %v", noted)
	}
}
