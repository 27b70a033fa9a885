//go:build linux

package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	_ "github.com/lib/pq" // database/sql's "postgres"
	"github.com/prometheus/procfs"

	"github.com/quayside/quayside/deploy/lab/proc"
	"github.com/quayside/quayside/deploy/test/devstack"
)

// stack is the product of one commit, running as its own `make run` does.
type stack struct {
	*devstack.Stack // for the commands of its tokens-svc

	root    string // of the repository
	dir     string // a worktree of it
	address string // of the gateway
	dsn     string // of the database of shipments
	cmd     *exec.Cmd
	ended   chan struct{}
}

const startTimeout = 10 * time.Minute // the first build of a commit included

// startStack starts the stack of a commit in a new worktree.
func startStack(ctx context.Context, s settings, commit string) (_ *stack, err error) {
	st := &stack{root: s.root, ended: make(chan struct{})}
	if st.dir, err = os.MkdirTemp("", "quayside-bench-"); err != nil {
		return nil, err
	}
	defer func() { //nolint:contextcheck // also after ctx
		if err != nil {
			err = errors.Join(err, st.stop())
		}
	}()
	if _, err := git(ctx, s.root, "worktree", "add", "--quiet", "--detach", "--force", st.dir, commit); err != nil {
		return st, err
	}
	_, _ = fmt.Fprintf(s.log, "starting  %s in %s\n", commit, st.dir)
	build := exec.CommandContext(ctx, "go", "build", "-o", st.devstack(), "./cmd/devstack")
	build.Dir = filepath.Join(st.dir, "deploy")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	if out, err := build.CombinedOutput(); err != nil {
		return st, fmt.Errorf("build devstack of %s: %w:\n%s", commit, err, out)
	}
	free, err := devstack.FreeAddresses(ctx, 1)
	if err != nil {
		return st, err
	}
	st.address = free[0]
	cmd := exec.Command(st.devstack(), "run") //nolint:noctx // ended by stop
	cmd.Dir, cmd.Stderr = st.dir, s.log
	cmd.Env = append(os.Environ(), "QUAYSIDE_PORT="+devstack.Port(st.address)[1:], "GOFLAGS=-trimpath")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return st, err
	}
	if err := cmd.Start(); err != nil {
		return st, err
	}
	st.cmd = cmd
	running := make(chan struct{}, 1)
	go func() {
		defer close(st.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "Quayside is running") {
				running <- struct{}{}
			}
		}
		_ = cmd.Wait() // why it ended is on stderr
	}()
	select {
	case <-running:
		return st, st.attach()
	case <-st.ended:
		return st, fmt.Errorf("the stack of %s ended while starting", commit)
	case <-time.After(startTimeout):
		return st, fmt.Errorf("the stack of %s did not start within %s", commit, startTimeout)
	case <-ctx.Done():
		return st, ctx.Err()
	}
}

func (st *stack) devstack() string { return filepath.Join(st.dir, ".bin", "devstack") }

// attach lets this program run tokens-svc's commands on the stack, and finds the database, both in
// the environment of its processes.
func (st *stack) attach() error {
	processes, err := proc.Family(st.cmd.Process.Pid)
	if err != nil {
		return err
	}
	for _, p := range processes {
		process, err := procfs.NewProc(p.PID)
		if err != nil {
			return err
		}
		environ, err := process.Environ()
		if err != nil {
			return err
		}
		switch p.Comm {
		case "tokens-svc":
			binary, err := process.Executable()
			if err != nil {
				return err
			}
			st.Stack = devstack.Attach(binary, environ)
		case "shipments-svc":
			for _, variable := range environ {
				if dsn, ok := strings.CutPrefix(variable, "DATABASE_URL="); ok {
					st.dsn = dsn
				}
			}
		}
	}
	return nil
}

// fillSQL gives the organization of the newest shipment so many shipments as $1 over two years, with
// their counters, as the service would have left them. Nine of ten are approved.
const fillSQL = `
WITH made AS (
	INSERT INTO shipments (organization_id, id, version, status, reference, vessel, origin, destination, pallets_count,
		created_at, approved_at)
	SELECT organization_id, gen_random_uuid(), 1, status, 'PO-' || i / 3, 'MSC Carmen', 'Cape Town, South Africa',
		'Rotterdam, Netherlands', 0, at, CASE WHEN status = 'approved' THEN at END
	FROM (SELECT organization_id FROM shipments ORDER BY created_at DESC LIMIT 1) newest, (
		SELECT i, CASE WHEN i % 10 > 0 THEN 'approved'
				ELSE (ARRAY['pending', 'ready_for_review', 'rejected'])[1 + i / 10 % 3] END AS status,
			now() - interval '1 day' - interval '730 days' * i / $1::integer AS at
		FROM generate_series(0, $1::integer - 1) i
	) numbered
	RETURNING organization_id, status, (created_at AT TIME ZONE 'UTC')::date AS day,
		get_byte(uuid_send(id), 15) % 8 AS shard
)
INSERT INTO shipment_counts AS c (organization_id, status, day, shard, n)
SELECT organization_id, coalesce(status, ''), day, shard, count(*)
FROM made GROUP BY organization_id, day, shard, ROLLUP (status)`

// fill fills the organization of the newest shipment and updates the planner's statistics.
func (st *stack) fill(ctx context.Context, n int) (err error) {
	db, err := sql.Open("postgres", st.dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, fillSQL, n); err != nil {
		return err
	}
	// The trigger updated each month's counters once for each day: without this, lists read the pages of dead versions.
	_, fullErr := db.ExecContext(ctx, `VACUUM FULL shipment_counts, shipment_months`)
	_, err = db.ExecContext(ctx, `VACUUM ANALYZE`)
	return errors.Join(fullErr, err)
}

// stop ends the stack and removes what it left.
func (st *stack) stop() (err error) {
	if st.cmd != nil {
		_ = st.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		<-st.ended
	}
	clean := exec.Command(st.devstack(), "clean") //nolint:noctx // also after an interrupt
	clean.Dir = st.dir
	_ = clean.Run() // it may not have been built
	_, err = git(context.Background(), st.root, "worktree", "remove", "--force", st.dir)
	return err
}
