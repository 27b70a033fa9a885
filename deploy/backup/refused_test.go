package backup

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/quayside/quayside/deploy/test/devstack"
)

const restored = `SELECT datname FROM pg_database WHERE datname IN ('tokens', 'shipments')`

// TestAnIncompleteBackupIsNotRestored restores damaged backups, and backups without
// the changes since: every attempt fails and leaves no database.
func TestAnIncompleteBackupIsNotRestored(t *testing.T) {
	t.Parallel()
	s := start(t, devstack.Options{Dir: tempDir(t)})
	s.upload(t, s.Demo.Token, 1)
	earlier := s.tokensSvc(t, "access", "list")
	s.token(t)
	dir := filepath.Join(tempDir(t), "a backup")
	script(t, s, "backup", nil, dir)
	cluster, err := devstack.StartCluster(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Close() })
	db := connect(t, cluster.URL)
	execute(t, db, "CREATE ROLE tokens_serve LOGIN")
	execute(t, db, `CREATE ROLE weak LOGIN CREATEROLE PASSWORD 'weak'`)
	weak, err := url.Parse(cluster.URL)
	if err != nil {
		t.Fatal(err)
	}
	weak.User = url.UserPassword("weak", "weak")

	empty := func(content []byte) []byte { return content[:0] }
	for _, c := range []struct {
		name    string
		file    string
		damage  func([]byte) []byte
		changes string // /dev/null if empty
		server  string // the cluster if empty
		want    string
	}{
		{name: "a login that may not create databases", server: weak.String(), want: "permission denied"},
		{name: "a disk that was full", file: "complete", damage: empty, want: "not complete, or damaged"},
		{
			name: "the dump of another backup", file: "tokens.dump",
			damage: func(b []byte) []byte { return append(b, 0) },
			want:   "not complete, or damaged",
		},
		{
			name: "a state before the backup", changes: earlier, want: "the list of access ends at event",
		},
		{name: "an archive that was never written", changes: "\n", want: "nothing was withdrawn"},
		{name: "a server without a database", server: "postgres://postgres@127.0.0.1:1", want: "not of the form"},
	} {
		t.Run(c.name, func(t *testing.T) {
			damaged := filepath.Join(tempDir(t), "damaged")
			if err := os.CopyFS(damaged, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			if c.file != "" {
				path := filepath.Join(damaged, c.file)
				if err := os.WriteFile(path, c.damage(read(t, path)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			changes := "/dev/null"
			if c.changes != "" {
				changes = filepath.Join(damaged, "access")
				if err := os.WriteFile(changes, []byte(c.changes), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			server := cluster.URL
			if c.server != "" {
				server = c.server
			}
			environ := []string{"DATABASE_SERVER_URL=" + server}
			text, err := command(s, "restore", environ, damaged, changes).CombinedOutput()
			out := string(text)
			if err == nil || !strings.Contains(out, c.want) || strings.Contains(out, "withdrawn, because") {
				t.Errorf("%v, want %q:\n%s", err, c.want, out)
			}
			if names := query(t, db, restored); len(names) > 0 {
				t.Errorf("got the databases %q, want none", names)
			}
		})
	}

	programs := t.TempDir() // a server that is newer than pg_dump
	psql := []byte("#!/bin/sh\necho 990000")
	if err := os.WriteFile(filepath.Join(programs, "psql"), psql, 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := command(s, "backup", []string{"PATH=" + programs + ":" + os.Getenv("PATH")}, t.TempDir()).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "the server is Postgres 99, and pg_dump is of Postgres") {
		t.Errorf("with an older client: %v\n%s", err, out)
	}

	// A session in a new database makes the last step fail, for both databases.
	restoring, done := context.WithCancel(t.Context())
	watcher := connect(t, database(cluster.URL, "tokens_restoring"))
	var watched sync.WaitGroup
	watched.Go(func() {
		for restoring.Err() == nil && watcher.PingContext(restoring) != nil {
			continue // it does not exist yet
		}
	})
	out, err = command(s, "restore", []string{"DATABASE_SERVER_URL=" + cluster.URL}, dir,
		s.DSN("tokens")).CombinedOutput()
	done()
	watched.Wait()
	if names := query(t, db, restored); err == nil || len(names) > 0 {
		t.Errorf("%v, %q exist:\n%s", err, names, out)
	}
}

// TestBackupsIntoOneDirectoryDoNotMix: one of two concurrent backups is refused. A
// backup also works on a server that terminates idle transactions. Of scheduled ones the newest stay,
// also off site.
func TestBackupsIntoOneDirectoryDoNotMix(t *testing.T) {
	t.Parallel()
	s := start(t, devstack.Options{Dir: tempDir(t)})
	db := connect(t, s.DSN("tokens"))
	execute(t, db, `ALTER ROLE CURRENT_USER SET idle_in_transaction_session_timeout = '1ms'`)
	dir := filepath.Join(tempDir(t), "backup")
	script(t, s, "backup", nil, dir)

	var outputs [2]bytes.Buffer
	var backups [2]*exec.Cmd
	for n := range backups {
		backups[n] = command(s, "backup", nil, dir)
		backups[n].Stdout, backups[n].Stderr = &outputs[n], &outputs[n]
		if err := backups[n].Start(); err != nil {
			t.Fatal(err)
		}
	}
	failed := slices.ContainsFunc([]error{backups[0].Wait(), backups[1].Wait()},
		func(err error) bool { return err != nil })
	if output := outputs[0].String() + outputs[1].String(); !failed ||
		strings.Count(output, "another backup writes to") != 1 || strings.Count(output, "backup: complete") != 1 {
		t.Errorf("two concurrent backups: %s", output)
	}

	scheduled := filepath.Join(dir, "..", "scheduled")
	const writing = "2026-11-20T02-15-00"
	// One that is being written, one that failed, and one of an operator's.
	for _, other := range []string{writing, "2026-11-21T02-15-00", "2026-11-22"} {
		if err := os.MkdirAll(filepath.Join(scheduled, other), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := os.Create(filepath.Join(scheduled, writing, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	settings := offSite(filepath.Join(tempDir(t), "off-site"))
	for range 3 {
		if out := script(t, s, "scheduled", settings, scheduled, "1"); strings.Contains(out, "not recorded") {
			t.Error(out)
		}
	}
	if out := restic(t, settings, "snapshots"); !strings.Contains(out, "2 snapshots") {
		t.Errorf("off site: %s", out)
	}
	// A backup that does not get there fails, and its time does not count. It is one of those that stay.
	const recorded = `SELECT backed_up_at::text FROM revision`
	last := query(t, db, recorded)
	settings = append(settings, "RESTIC_PASSWORD=another one")
	if out, err := command(s, "scheduled", settings, scheduled, "1").CombinedOutput(); err == nil ||
		!slices.Equal(query(t, db, recorded), last) {
		t.Errorf("without a copy off site: %v, recorded after %s\n%s", err, last, out)
	}
	complete, _ := filepath.Glob(filepath.Join(scheduled, "*", "complete"))
	left, err := os.ReadDir(scheduled)
	if err != nil || len(left) != 3 || left[0].Name() != writing || len(complete) != 1 {
		t.Errorf("after three scheduled backups there are %v, complete %q (%v)", left, complete, err)
	}
}
