// Chaos injects faults into Quayside's programs and the links between them, one
// at a time under load, and prints each promise with what was observed. The exit
// status is 1 for broken promises and 2 if a fault could not be injected.
//
//	chaos            everything, in under ten minutes
//	chaos REGEXP     faults whose title matches, such as 'Redis: hung'
package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/quayside/quayside/deploy/chaos"
	"github.com/quayside/quayside/deploy/promises"
)

// rest is longer than the gateway keeps idle connections to services.
const rest = 45 * time.Second

func main() {
	promises.Main("chaos", func(ctx context.Context, root string, faults *regexp.Regexp) error {
		return chaos.Run(ctx, chaos.Config{
			Root: root, Dir: filepath.Join(root, ".run", "chaos"), Logs: filepath.Join(root, ".run", "chaos-log"),
			Faults: faults, Rest: rest, Report: os.Stdout, Log: os.Stderr,
		})
	})
}
