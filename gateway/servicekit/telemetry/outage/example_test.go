package outage_test

import (
	"errors"
	"log/slog"
	"os"

	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
)

// Further failures and successes are not logged until the outage is over.
func Example() {
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string,
		a slog.Attr,
	) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	journal := outage.New(log, "Postgres")
	for range 100 {
		journal.Note(errors.New("connection refused"))
	}
	journal.Note(nil)
	// Output: level=WARN msg="Postgres fails" error="connection refused"
}
