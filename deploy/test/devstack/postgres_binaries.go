package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	embedded "github.com/fergusstrange/embedded-postgres"
)

// supported are the supported major versions of Postgres, in order of preference.
var supported = []int{17, 18, 16, 15}

// postgresBinaries returns the directory of postgres and initdb:
// from PATH, Debian's or Homebrew's places, or installed now, on Debian as
// root. An empty directory means that there are none and none can be
// installed, so that embedded-postgres has to download them.
func postgresBinaries(ctx context.Context, log io.Writer) (string, error) {
	if dir := FindPostgres(); dir != "" {
		return dir, nil
	}
	if err := install(ctx, log, "postgresql"); err != nil {
		if errors.Is(err, errCannotInstall) {
			return "", nil
		}
		return "", err
	}
	if dir := FindPostgres(); dir != "" {
		return dir, nil
	}
	return "", errors.New("postgresql is installed but initdb is not to be found in /usr/lib/postgresql/*/bin")
}

// FindPostgres returns the directory of postgres and initdb, empty if there is none.
func FindPostgres() string {
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

// startEmbedded runs the Postgres that embedded-postgres downloads.
func (s *server) startEmbedded() error {
	_, portText, err := net.SplitHostPort(s.config.port)
	if err != nil {
		return err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(s.config.log, "postgres  none on this machine; downloading one")
	db := embedded.NewDatabase(embedded.DefaultConfig().
		Version(embedded.V17).Port(uint32(port)).Username("postgres").Password(s.config.password).
		DataPath(s.config.dir).RuntimePath(s.config.dir + "-runtime").StartTimeout(startTimeout).Logger(io.Discard))
	if err := db.Start(); err != nil {
		return fmt.Errorf("%w\nPostgres is needed. On Debian: sudo apt-get install postgresql. "+
			"On macOS: brew install postgresql@17. Or set DATABASE_URL", err)
	}
	s.running = db
	return nil
}
