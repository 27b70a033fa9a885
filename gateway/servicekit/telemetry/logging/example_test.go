package logging_test

import (
	"log/slog"
	"os"

	"github.com/quayside/quayside/gateway/servicekit/telemetry/logging"
)

func Example() {
	lines := logging.NewBuffer(os.Stdout)
	log := slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	log.Info("started", "program", "things")
	lines.Close() // waits for lines that are not written yet
	// Output: level=INFO msg=started program=things
}
