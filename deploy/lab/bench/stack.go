//go:build linux

package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"github.com/quayside/quayside/deploy/lab/proc"
	"github.com/quayside/quayside/deploy/test/devstack"
)

// stack is the product of one checkout, running as its own `make run` does.
type stack struct {
	*devstack.Stack // for the commands of its tokens-svc

	name     string
	dir      string // of the checkout
	worktree string // of what git repository dir is a worktree, if it is ours
	address  string // of the gateway
	dsn      string // of the database of shipments
	cmd      *exec.Cmd
	ended    chan struct{}
}

const startTimeout = 10 * time.Minute // the first build of a commit included

// startStack starts the stack of a directory, or of a commit in a new worktree.
func startStack(ctx context.Context, s settings, name, source string) (_ *stack, err error) {
	st := &stack{name: name, dir: source, ended: make(chan struct{})}
	defer func() { //nolint:contextcheck // also after ctx
		if err != nil {
			err = errors.Join(err, st.stop())
		}
	}()
	if info, statErr := os.Stat(source); statErr != nil || !info.IsDir() {
		if st.dir, err = os.MkdirTemp("", "quayside-bench-"+name+"-"); err != nil {
			return st, err
		}
		st.worktree = s.root
		if _, err := git(ctx, s.root, "worktree", "add", "--detach", "--force", st.dir, source); err != nil {
			return st, err
		}
	}
	_, _ = fmt.Fprintf(s.log, "starting  %s (%s) in %s\n", name, source, st.dir)
	build := exec.CommandContext(ctx, "go", "build", "-o", st.devstack(), "./cmd/devstack")
	build.Dir = filepath.Join(st.dir, "deploy")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	if out, err := build.CombinedOutput(); err != nil {
		return st, fmt.Errorf("build devstack of %s: %w:\n%s", source, err, out)
	}
	free, err := devstack.FreeAddresses(ctx, 1)
	if err != nil {
		return st, err
	}
	st.address = free[0]
	cmd := exec.Command(st.devstack(), "run") //nolint:noctx // ended by stop
	cmd.Dir, cmd.Stderr = st.dir, s.log
	cmd.Env = append(os.Environ(), "QUAYSIDE_PORT="+port(st.address)[1:], "GOFLAGS=-trimpath")
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
		return st, fmt.Errorf("the stack of %s ended while starting", source)
	case <-time.After(startTimeout):
		return st, fmt.Errorf("the stack of %s did not start within %s", source, startTimeout)
	case <-ctx.Done():
		return st, ctx.Err()
	}
}

func (st *stack) devstack() string { return filepath.Join(st.dir, ".bin", "devstack") }

// attach lets this program run tokens-svc's commands on the stack, with the
// environment that devstack writes for other processes, and finds the database.
func (st *stack) attach() error {
	text, err := os.ReadFile(filepath.Join(st.dir, ".run", "secrets", "tokens-svc.json"))
	if err != nil {
		return err
	}
	var handle struct{ Environment []string }
	if err := json.Unmarshal(text, &handle); err != nil {
		return err
	}
	tokens, err := st.find("tokens-svc")
	if err != nil {
		return err
	}
	binary, err := tokens.Executable()
	if err != nil {
		return err
	}
	st.Stack = devstack.Attach(binary, handle.Environment)
	shipments, err := st.find("shipments-svc")
	if err != nil {
		return err
	}
	environ, err := shipments.Environ()
	for _, variable := range environ {
		if dsn, ok := strings.CutPrefix(variable, "DATABASE_URL="); ok {
			st.dsn = dsn
		}
	}
	return err
}

// find returns a process of the stack by the name of its program.
func (st *stack) find(name string) (procfs.Proc, error) {
	processes, err := proc.Family(st.cmd.Process.Pid)
	for _, p := range processes {
		if p.Comm == name {
			return procfs.NewProc(p.PID)
		}
	}
	return procfs.Proc{}, errors.Join(err, fmt.Errorf("no %s is running", name))
}

func (st *stack) side() side {
	return side{name: st.name, address: st.address, cpu: func() (usage, error) { return cpuOf(st.cmd.Process.Pid) }}
}

// fillSQL gives the organization $1 so many shipments as $2 over two years, with
// their counters, as the service would have left them. Nine of ten are approved.
var fillSQL = []string{`
INSERT INTO shipments (organization_id, id, version, status, reference, vessel, origin, destination, pallets_count,
	created_at, approved_at)
SELECT $1, gen_random_uuid(), 1, status, 'PO-' || i / 3, 'MSC Carmen', 'Cape Town, South Africa',
	'Rotterdam, Netherlands', 0, at, CASE WHEN status = 'approved' THEN at END
FROM (
	SELECT i, CASE WHEN i % 10 > 0 THEN 'approved'
			ELSE (ARRAY['pending', 'ready_for_review', 'rejected'])[1 + i / 10 % 3] END AS status,
		now() - interval '1 day' - interval '730 days' * i / $2::integer AS at
	FROM generate_series(0, $2::integer - 1) i
) made`, `
INSERT INTO shipment_counts AS c (organization_id, status, day, shard, n)
SELECT organization_id, coalesce(status, ''), day, shard, count(*)
FROM (SELECT *, (created_at AT TIME ZONE 'UTC')::date AS day, get_byte(uuid_send(id), 15) % 8 AS shard
	FROM shipments WHERE organization_id = $1 AND created_at < now() - interval '1 hour') s
WHERE $2::integer > 0 GROUP BY organization_id, day, shard, ROLLUP (status)`}

// fill fills an organization and updates the planner's statistics.
func (st *stack) fill(ctx context.Context, organization string, n int) (err error) {
	db, err := sql.Open("postgres", st.dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, statement := range fillSQL {
		if _, err := db.ExecContext(ctx, statement, organization, n); err != nil {
			return err
		}
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
	if st.worktree != "" {
		clean := exec.Command(st.devstack(), "clean") //nolint:noctx // also after an interrupt
		clean.Dir = st.dir
		_ = clean.Run() // it may not have been built
		_, err = git(context.Background(), st.worktree, "worktree", "remove", "--force", st.dir)
	}
	return err
}
