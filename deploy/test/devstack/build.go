package devstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build compiles the three programs of the repository at root and returns the
// directory that holds them. The directory is the same for every caller, and
// programs that are up to date are not linked again.
func Build(ctx context.Context, root string, race bool) (dir string, err error) {
	dir = filepath.Join(root, ".bin", "programs")
	args, cgo := []string{"build", "-trimpath", "-ldflags", "-s -w"}, "CGO_ENABLED=0"
	if race {
		dir += "-race"
		args, cgo = append(args, "-race"), "CGO_ENABLED=1"
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", err
	}
	held, err := lock(dir, true)
	if err != nil {
		return "", err
	}
	defer func() { _ = held.Close() }()
	args = append(args, "-o", dir+"/", "./tokens-svc/cmd/tokens-svc", "./shipments-svc/cmd/shipments-svc",
		"./gateway/cmd/gateway")
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w:\n%s", err, out)
	}
	return dir, nil
}

// FindRoot returns the repository that the working directory is in.
func FindRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("not inside the repository: no go.work here or above")
		}
		dir = filepath.Dir(dir)
	}
}
