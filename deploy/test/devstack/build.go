package devstack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Build compiles the three programs of the repository at root and returns the
// directory that holds them. The directory is the same for every caller, and
// programs that are up to date are not linked again. The flags are those of
// GOFLAGS, so that what one command compiled the next finds in the cache.
func Build(ctx context.Context, root string, race bool, log io.Writer) (dir string, err error) {
	dir = filepath.Join(root, ".bin", "programs")
	args, cgo := []string{"build", "-v", "-ldflags", "-s -w"}, "CGO_ENABLED=0"
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
	// The compiler's own garbage collection is a fifth of its time.
	cmd.Dir, cmd.Env = root, append(os.Environ(), cgo, "GOGC=400")
	output := &progress{log: log, shown: time.Now()}
	cmd.Stderr = output
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go build: %w:\n%s", err, output.rest)
	}
	return dir, nil
}

// progress reads what go build -v writes: a line for each module that it downloads and each package that it compiles.
type progress struct {
	log        io.Writer
	shown      time.Time
	downloaded int
	compiled   int
	rest       []byte // the other lines: errors
}

func (p *progress) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		switch {
		case bytes.HasPrefix(line, []byte("go: downloading ")):
			p.downloaded++
		case bytes.ContainsAny(bytes.TrimSpace(line), " :"):
			p.rest = append(p.rest, line...)
		default:
			p.compiled++
		}
	}
	if time.Since(p.shown) > 10*time.Second {
		p.shown = time.Now()
		_, _ = fmt.Fprintf(p.log,
			"building  the programs: %d modules downloaded, %d packages compiled, of about 1,000 the first time\n",
			p.downloaded, p.compiled)
	}
	return len(lines), nil
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
