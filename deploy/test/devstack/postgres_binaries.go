package devstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// supported are the supported major versions of Postgres, in order of preference.
var supported = []int{17, 18, 16, 15}

// places are where Debian and Homebrew install a version, which they do not add to PATH.
var places = []string{
	"/usr/lib/postgresql/%d/bin", "/opt/homebrew/opt/postgresql@%d/bin", "/usr/local/opt/postgresql@%d/bin",
}

// postgresBinaries returns the directory of postgres and initdb: from PATH, Debian's or Homebrew's places, bundled,
// installed now, on Debian as root, or else of the embedded Postgres.
func postgresBinaries(ctx context.Context, bundled string, log io.Writer) (string, error) {
	if bundled != "" {
		return cmp.Or(findPostgres(), bundled), nil
	}
	err := install(ctx, log, "postgresql")
	if errors.Is(err, errCannotInstall) {
		return fetchPostgres(ctx)
	}
	return findPostgres(), err
}

// findPostgres returns the directory of postgres and initdb, empty if there is none.
func findPostgres() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(real)
		}
	}
	for _, version := range supported {
		for _, place := range places {
			dir := fmt.Sprintf(place, version)
			if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil {
				return dir
			}
		}
	}
	return ""
}
