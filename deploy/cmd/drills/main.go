// Drills loses parts of a product with replicated databases, one at a time under
// load, and prints each promise with what was observed. The exit status is 1 for
// broken promises and 2 if a drill could not be run.
//
//	drills           everything, in about six minutes
//	drills REGEXP    drills whose name matches, such as Postgres
package main

import (
	"context"
	"os"
	"regexp"

	"github.com/quayside/quayside/deploy/drills"
	"github.com/quayside/quayside/deploy/promises"
)

func main() {
	promises.Main("drills", func(ctx context.Context, root string, only *regexp.Regexp) error {
		return drills.Run(ctx, drills.Config{Root: root, Only: only, Report: os.Stdout, Log: os.Stderr})
	})
}
