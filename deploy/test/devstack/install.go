package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
)

// errCannotInstall means that this is not Debian, or not root.
var errCannotInstall = errors.New("packages can only be installed on Debian, as root")

// isInstalled reports whether the contents of a Debian package are there: for
// most, a program of its name.
func isInstalled(name string) bool {
	var err error
	switch name {
	case "libc6-dev":
		_, err = os.Stat("/usr/include/stdlib.h")
	case "postgresql":
		return findPostgres() != ""
	default:
		_, err = exec.LookPath(name)
	}
	return err == nil
}

// canInstall reports whether install can: on Debian, as root.
func canInstall() bool {
	_, err := exec.LookPath("apt-get")
	return err == nil && os.Geteuid() == 0
}

// install installs missing Debian packages.
func install(ctx context.Context, log io.Writer, packages ...string) error {
	missing := slices.DeleteFunc(packages, isInstalled)
	if len(missing) == 0 {
		return nil
	}
	if !canInstall() {
		return errCannotInstall
	}
	_, _ = fmt.Fprintf(log, "apt-get   install %v\n", missing)
	for _, args := range [][]string{
		{"update", "-qq"},
		append([]string{"install", "-y", "-qq", "--no-install-recommends"}, missing...),
	} {
		cmd := exec.CommandContext(ctx, "apt-get", args...) //nolint:gosec // G204: our own arguments
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w:\n%s", args[0], err, out)
		}
	}
	return nil
}
