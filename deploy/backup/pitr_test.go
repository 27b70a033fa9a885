package backup

import (
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// TestBothDatabasesRecoverToATime: what was deleted afterwards is there again, and what was revoked stays so.
func TestBothDatabasesRecoverToATime(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("pgbackrest")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("there is no pgbackrest on this machine")
	}
	cluster, err := devstack.StartCluster(t.Context(), os.Stderr, "-c", "archive_mode=on")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Close() })
	server, err := url.Parse(cluster.URL)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := server.User.Password()
	dir := filepath.Dir(cluster.Dir) // which the owner of Postgres may write
	config := filepath.Join(dir, "pgbackrest.conf")
	settings := fmt.Appendf(nil, "[global]\nrepo1-path=%[1]s/repository\nrepo1-cipher-type=aes-256-cbc\n"+
		"repo1-cipher-pass=a password\nlock-path=%[1]s/lock\nlog-level-file=off\nstart-fast=y\n"+
		"[quayside]\npg1-path=%[2]s\npg1-port=%[3]s\npg1-user=postgres\n", dir, cluster.Dir, server.Port())
	if err := os.WriteFile(config, settings, 0o644); err != nil {
		t.Fatal(err)
	}
	pgbackrest := func(args ...string) {
		t.Helper()
		cmd := cluster.Command(t.Context(), program, append([]string{"--config=" + config, "--stanza=quayside"}, args...)...)
		cmd.Env = []string{"PGHOST=" + server.Hostname(), "PGPASSWORD=" + password}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("pgbackrest %s: %v\n%s", args, err, out)
		}
	}
	pgbackrest("stanza-create")
	db := connect(t, cluster.URL)
	execute(t, db, fmt.Sprintf(`ALTER SYSTEM SET archive_command = '%s --config=%s --stanza=quayside archive-push %%p'`,
		program, config))
	execute(t, db, `SELECT pg_reload_conf()`)
	pgbackrest("backup", "--type=full")

	s := start(t, devstack.Options{Dir: tempDir(t), DatabaseURL: cluster.URL})
	kept, revoked := s.token(t), s.token(t)
	path, sum := s.upload(t, kept.Secret, 1)
	copies := filepath.Join(tempDir(t), "backup")
	script(t, s, "backup", nil, copies)
	at := query(t, db, `SELECT clock_timestamp()::text`)[0]
	if res := s.call(t, http.MethodDelete, path, kept.Secret, nil, ""); res.status != http.StatusNoContent {
		t.Fatalf("%d %s", res.status, res.body)
	}
	if err := s.RevokeToken(t.Context(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	access := archived(t, s)

	if err := cluster.Stop(); err != nil {
		t.Fatal(err)
	}
	pgbackrest("restore", "--delta", "--type=time", "--target="+at, "--target-action=promote")
	if err := cluster.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out := script(t, s, "recovered", nil, access, copies); !strings.Contains(out, revoked.ID+" is revoked") ||
		strings.Contains(out, kept.ID) {
		t.Errorf("withdrawn:\n%s", out)
	}
	if got := s.eventually(t, revoked.Secret, http.StatusUnauthorized); got != http.StatusUnauthorized {
		t.Errorf("the token that was revoked after the time: %d", got)
	}
	if res := s.call(t, http.MethodGet, path+"/content", kept.Secret, nil, ""); sha256.Sum256(res.body) != sum {
		t.Errorf("the document that was deleted after the time: %d", res.status)
	}
	if other := archived(t, s); filepath.Base(other) == filepath.Base(access) {
		t.Error("the archive of the state that was lost is overwritten")
	}
}

// archived runs `archive` until it has written a file, which it returns. It goes on writing while a repository off site
// does not answer.
func archived(t *testing.T, s product) string {
	t.Helper()
	dir := tempDir(t)
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	cmd := command(s, "archive", offSite("s3:http://"+silent.Addr().String()+"/copies"), dir)
	cmd.Env = append(cmd.Env, "DATABASE_URL="+s.DSN("tokens"), "DATABASE_URL_FILE=")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	copying, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = copying.Close() }()
	for began := time.Now(); t.Context().Err() == nil; time.Sleep(time.Second / 10) { // a poll
		files, _ := filepath.Glob(filepath.Join(dir, "*-*-*"))
		if len(files) != 1 {
			continue
		}
		if at, err := os.Stat(files[0]); err == nil && at.ModTime().After(began) {
			return files[0]
		}
	}
	t.Fatal("archive wrote nothing")
	return ""
}
