package packinglist

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// Four times as many rows below a list take about four times as long.
func TestRowsBelowAListAreReadInLinearTime(t *testing.T) {
	used := func(rows int) time.Duration {
		content := "Pallet;Produce;Cartons;Net kg\nP1;Hass;80;320\nP2;Hass;80;320\n" + strings.Repeat(
			"Kept cool;Signed\n",
			rows,
		)
		before := processorTime(t)
		if _, err := Read(t.Context(), CSV, strings.NewReader(content), int64(len(content))); err != nil {
			t.Fatal(err)
		}
		return processorTime(t) - before
	}
	if few, many := used(1000), used(4000); many > 7*few {
		t.Errorf("%v for 1,000 rows, %v for 4,000", few, many)
	}
}

// processorTime returns the processor time of this process.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
