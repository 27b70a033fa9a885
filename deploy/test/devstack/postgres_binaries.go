package devstack

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// supported are the supported major versions of Postgres, in order of preference.
var supported = []int{17, 18, 16, 15}

// postgresBinaries returns the directory of postgres and initdb: from PATH, Debian's or Homebrew's places, or installed
// now, on Debian as root.
func postgresBinaries(ctx context.Context, log io.Writer) (string, error) {
	err := install(ctx, log, "postgresql")
	dir := findPostgres()
	if dir == "" {
		return "", errors.Join(err, errors.New("no Postgres: on Debian sudo apt-get install postgresql, "+
			"on macOS brew install postgresql@17, or set DATABASE_URL"))
	}
	return dir, nil
}

// findPostgres returns the directory of postgres and initdb, empty if there is none.
func findPostgres() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(real)
		}
	}
	for _, version := range supported {
		v := strconv.Itoa(version)
		for _, dir := range []string{
			"/usr/lib/postgresql/" + v + "/bin",
			"/opt/homebrew/opt/postgresql@" + v + "/bin",
			"/usr/local/opt/postgresql@" + v + "/bin",
		} {
			if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil {
				return dir
			}
		}
	}
	return ""
}
