package requestid

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/uuid"
)

func TestEncodeKnownAnswers(t *testing.T) {
	t.Parallel()

	for id, want := range map[string]string{
		"00000000-0000-0000-0000-000000000000": "req_00000000000000000000000000",
		"ffffffff-ffff-ffff-ffff-ffffffffffff": "req_7zzzzzzzzzzzzzzzzzzzzzzzzz",
		"00000000-0000-0000-0000-000000000001": "req_00000000000000000000000001",
		"01563e3a-b5d3-d676-4c61-efb99302bd5b": "req_01arz3ndektsv4rrffq69g5fav",
	} {
		if got := encode(uuid.MustParse(id)); got != want {
			t.Errorf("encode(%s) = %s, want %s", id, got, want)
		}
	}
}

func TestNewIdsAreWellFormedAndSortByTime(t *testing.T) {
	t.Parallel()

	ids := make([]string, 100)
	for i := range ids {
		ids[i] = New()
		if !regexp.MustCompile(`^req_[0-7][0-9a-hjkmnp-tv-z]{25}$`).MatchString(ids[i]) {
			t.Fatalf("malformed id %s", ids[i])
		}
	}
	if !slices.IsSorted(ids) || len(slices.Compact(ids)) != len(ids) {
		t.Error("ids are not unique and in order of time")
	}
}
