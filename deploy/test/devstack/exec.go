package devstack

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// Exec runs a command with TEST_DATABASE_URL and TEST_REDIS_URL of throw-away
// servers. TEST_DATABASE_POOLED_URL is the same Postgres through PgBouncer, if
// that is installed. The error of the command is a *CommandError.
func Exec(ctx context.Context, stdout, log io.Writer, command ...string) (err error) {
	packages := []string{"postgresql", "redis-server"}
	if os.Getenv("CI") != "" {
		// The race detector needs a C compiler; npm brings axe-core to the browser tests, and node; the examples need
		// that, curl, jq and Python; alerts are tested with promtool.
		packages = append(packages,
			"pgbouncer", "gcc", "libc6-dev", "chromium", "npm", "curl", "jq", "python3", "prometheus", "prometheus-alertmanager")
	}
	if err := install(ctx, log, packages...); err != nil && !errors.Is(err, errCannotInstall) {
		return err
	}
	if err := checkServers(log, "", "", ""); err != nil {
		return err
	}
	cluster, err := StartCluster(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	pooler, pooledURL, err := startPgBouncer(ctx, cluster, cluster.config.logDir, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pooler.Stop()) }()
	address, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	stopRedis, redisURL, err := startRedis(ctx, address, cluster.config.logDir, true, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopRedis()) }()

	//nolint:gosec // G204: the caller's command is the point
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(os.Environ(), "TEST_DATABASE_URL="+cluster.URL, "TEST_DATABASE_POOLED_URL="+pooledURL,
		"TEST_REDIS_URL="+redisURL)
	if !isInstalled("redis-server") {
		cmd.Env = append(cmd.Env, "TEST_REDIS_EMBEDDED=true") // a few tests need the real one
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, os.Stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return &CommandError{exit}
	}
	return err
}

// CommandError has the exit status of the command of Exec.
type CommandError struct{ *exec.ExitError }

// Clean removes a state directory and its data, unless a stack runs there.
func Clean(dir string) error {
	held, err := lockState(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = held.Close() }()
	return errors.Join(os.RemoveAll(filepath.Dir(clusterDir(dir))), os.RemoveAll(dir))
}
