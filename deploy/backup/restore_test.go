package backup

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// TestABackupRestoresIntoAnEmptyEnvironment takes a backup while documents are
// uploaded and deleted, and another one at rest, revokes a token, restores the
// backup on another Postgres with a bucket instead of the directory, and compares.
func TestABackupRestoresIntoAnEmptyEnvironment(t *testing.T) {
	t.Parallel()
	first := start(t, devstack.Options{Dir: tempDir(t)})
	kept, revoked := first.token(t), first.token(t)
	first.tokensSvc(t, "user", "create", "--email", "gone@acme.example", "--organization", first.Demo.Organization,
		"--role", "member")
	files := map[string][sha256.Size]byte{}
	for n := range 5 {
		path, sum := first.upload(t, kept.Secret, n)
		files[path] = sum
	}

	// Under load: documents are created and deleted, and each one in the dump has its file. They are deleted until the
	// first dump is complete: a backup dumps again if a file is missing, three times at most.
	dir := filepath.Join(tempDir(t), "backup")
	busy, rest := context.WithCancel(t.Context())
	var load sync.WaitGroup
	deleted := 0
	load.Go(func() {
		for n := 100; busy.Err() == nil; n++ {
			path, _ := first.upload(t, kept.Secret, n) //nolint:contextcheck // one that has begun is finished
			if _, err := os.Stat(filepath.Join(dir, "documents.list")); err == nil {
				continue
			}
			answer := first.call(t, http.MethodDelete, path, kept.Secret, nil, "") //nolint:contextcheck // as above
			if answer.status == http.StatusNoContent {
				deleted++
			}
		}
	})
	underLoad := script(t, first, "backup", nil, dir)
	rest()
	load.Wait()
	if deleted == 0 || !strings.Contains(underLoad, "complete") {
		t.Errorf("%d documents were deleted; the backup under load: %s", deleted, underLoad)
	}

	for _, name := range []string{"gateway", "shipments-svc", "tokens-svc"} { // so that rows do not change
		if err := first.Program(name).Stop(); err != nil {
			t.Fatal(err)
		}
	}
	store, bucket := s3(t)
	offSite := offSite("s3:" + strings.TrimPrefix(bucket[0], "S3_ENDPOINT=") + "/off-site")
	script(t, first, "backup", offSite, dir)
	before := map[string]map[string][]string{
		"tokens":    rows(t, first.DSN("tokens")),
		"shipments": rows(t, first.DSN("shipments")),
	}
	if err := first.RevokeToken(t.Context(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	execute(t, connect(t, first.DSN("tokens")),
		`DELETE FROM memberships USING users WHERE id = user_id AND email = 'gone@acme.example'`)
	first.tokensSvc(t, "user", "disable", "gone@acme.example")

	// Another Postgres. The store has a file that is newer than the backup.
	cluster, err := devstack.StartCluster(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Close() })
	second := tempDir(t)
	if err := os.WriteFile(filepath.Join(second, "demo.env"), read(t, filepath.Join(first.dir, "demo.env")),
		0o600); err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(store, "org_01k9x3v7t2e8sbq4m6n0pacdfg", "doc_01k9x3v7t2e8sbq4m6n0pacdfg")
	if err := os.MkdirAll(filepath.Dir(newer), 0o700); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-30 * 24 * time.Hour)
	if err := os.WriteFile(newer, []byte("of a document that the backup lacks"), 0o600); err != nil {
		t.Fatal(err)
	} else if err := os.Chtimes(newer, old, old); err != nil {
		t.Fatal(err)
	}
	execute(t, connect(t, cluster.URL), "CREATE ROLE tokens_serve LOGIN")
	restored := append(bucket, "DATABASE_SERVER_URL="+cluster.URL)
	copied := tempDir(t) // from the copy off site, which is encrypted
	restic(t, offSite, "restore", "latest", "--target", copied)
	output := script(t, first, "restore", restored, filepath.Join(copied, dir), first.DSN("tokens"))
	if !strings.Contains(output, revoked.ID+" is revoked") || strings.Contains(output, kept.ID) ||
		strings.Count(output, "gone@acme.example is ") != 2 {
		t.Errorf("withdrawn by restoring:\n%s", output)
	}
	if again, err := command(first, "restore", restored, dir, "none").CombinedOutput(); err == nil ||
		!strings.Contains(string(again), "the database tokens exists") {
		t.Errorf("restoring over a database: %v, %s", err, again)
	}

	heads := map[string]int{"event_heads": len(before["shipments"]["event_heads"])} // each has another epoch
	compare(t, before["shipments"], rows(t, database(cluster.URL, "shipments")), heads, heads)
	compare(t, before["tokens"], rows(t, database(cluster.URL, "tokens")),
		map[string]int{
			"api_tokens": 1, "audit_heads": 1, "revision": 1, "memberships": 1, "users": 1,
			"sessions":    len(before["tokens"]["sessions"]),
			"invitations": len(before["tokens"]["invitations"]),
		},
		map[string]int{"api_tokens": 1, "audit_heads": 1, "revision": 1, "audit_events": 3, "users": 1, "changes": 1})

	again := start(t, devstack.Options{Dir: second, DatabaseURL: cluster.URL, Env: bucket})
	if got := again.status(t, kept.Secret); got != http.StatusOK {
		t.Errorf("a token of before the backup: %d", got)
	}
	if got := again.status(t, revoked.Secret); got != http.StatusUnauthorized {
		t.Errorf("the token that was revoked after the backup: %d", got)
	}
	for path, sum := range files {
		res := again.call(t, http.MethodGet, path+"/content", kept.Secret, nil, "")
		if sha256.Sum256(res.body) != sum {
			t.Errorf("%s: %d, other content than before", path, res.status)
		}
	}
	if err := again.VerifyAudit(t.Context()); err != nil {
		t.Error(err)
	}
	all := fmt.Sprintf("%d files, of which %[1]d were copied", len(before["shipments"]["documents"]))
	output = script(t, again, "backup", nil, filepath.Join(tempDir(t), "backup"))
	if !strings.Contains(output, all) {
		t.Errorf("a backup of the bucket: %s, want %s", output, all)
	}
	if _, err := os.Stat(newer); err != nil {
		t.Errorf("the file that the backup lacks: %v", err)
	}
}

// TestARestoredBackupWithoutChangesRevokesEveryToken, in place, on the server
// and the store that the backup was taken from, while the programs run.
func TestARestoredBackupWithoutChangesRevokesEveryToken(t *testing.T) {
	t.Parallel()
	s := start(t, devstack.Options{Dir: tempDir(t)})
	stored := func() (n int) {
		files, err := filepath.Glob(filepath.Join(s.dir, "documents", "*", "doc_*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	demo := stored()
	path, sum := s.upload(t, s.Demo.Token, 1)
	dir := filepath.Join(tempDir(t), "backup")
	script(t, s, "backup", nil, dir)
	later, _ := s.upload(t, s.Demo.Token, 2)
	if got := s.status(t, s.Demo.Token); got != http.StatusOK { // cached by the gateway
		t.Fatal(got)
	}
	server := strings.TrimSuffix(s.DSN("tokens"), "/tokens?sslmode=disable") + "/postgres?sslmode=disable"
	db := connect(t, server)
	for _, name := range []string{"tokens", "shipments"} {
		execute(t, db, "ALTER DATABASE "+name+" ALLOW_CONNECTIONS false")
		execute(t, db, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, name)
		execute(t, db, "ALTER DATABASE "+name+" RENAME TO "+name+"_replaced")
	}
	script(t, s, "restore", []string{"DATABASE_SERVER_URL=" + server}, dir, "none")
	if got := s.eventually(t, s.Demo.Token, http.StatusUnauthorized); got != http.StatusUnauthorized {
		t.Fatalf("%d for a revoked token a minute after restoring", got)
	}
	token := s.token(t)
	if got := s.call(t, http.MethodGet, path+"/content", token.Secret, nil, "").body; sha256.Sum256(got) != sum {
		t.Errorf("%s: %s", path, got)
	}
	if res := s.call(t, http.MethodGet, later, token.Secret, nil, ""); res.status != http.StatusNotFound {
		t.Errorf("a document that is newer than the backup: %d", res.status)
	}
	if kept := stored() - demo; kept != 2 {
		t.Errorf("%d of two files are in the store", kept)
	}
}

// eventually returns the status of requests with a token, as soon as it is the wanted one or after a minute.
func (p product) eventually(t *testing.T, token string, want int) (got int) {
	t.Helper()
	// a poll, below the demo's limit
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Second) {
		if got = p.status(t, token); got == want {
			break
		}
	}
	return got
}

// s3 starts a server with a bucket, and returns the directory of its objects and
// the settings of shipments-svc.
func s3(t *testing.T) (dir string, settings []string) {
	t.Helper()
	program := os.Getenv("TEST_VERSITYGW")
	if program == "" && os.Getenv("CI") == "" {
		t.Skip("TEST_VERSITYGW is not set; `make test-all` sets it")
	}
	free, err := devstack.FreeAddresses(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	address := free[0]
	root := tempDir(t)
	dir = filepath.Join(root, "documents")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--access", "quayside", "--secret", "quayside-drills", "--port", address, "--quiet",
		"posix", "--nometa", root)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for conn := net.Conn(nil); conn == nil; { // until it listens
		if conn, err = new(net.Dialer).DialContext(t.Context(), "tcp", address); err == nil {
			_ = conn.Close()
		} else if t.Context().Err() != nil {
			t.Fatal("versitygw does not answer")
		}
	}
	return dir, []string{"S3_ENDPOINT=http://" +
		address, "S3_BUCKET=documents", "S3_ACCESS_KEY=quayside", "S3_SECRET_KEY=quayside-drills"}
}

// offSite returns the settings of copies off site.
func offSite(repository string) []string {
	return []string{
		"RESTIC_REPOSITORY=" + repository, "RESTIC_PASSWORD=a password", "RESTIC_KEEP=--keep-last 2",
		"AWS_ACCESS_KEY_ID=quayside", "AWS_SECRET_ACCESS_KEY=quayside-drills",
	}
}

func restic(t *testing.T, settings []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "restic", append([]string{"--no-cache"}, args...)...)
	cmd.Env = append(os.Environ(), settings...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("restic %s: %v\n%s", args, err, out)
	}
	return string(out)
}

// compare fails the test unless exactly these numbers of rows are missing and new.
func compare(t *testing.T, before, after map[string][]string, missing, added map[string]int) {
	t.Helper()
	if len(before) < 10 || len(before) != len(after) {
		t.Errorf("%d tables, %d restored", len(before), len(after))
	}
	for table := range before {
		lacks := func(in []string) func(string) bool {
			return func(row string) bool { return slices.Contains(in, row) }
		}
		gone := slices.DeleteFunc(slices.Clone(before[table]), lacks(after[table]))
		fresh := slices.DeleteFunc(slices.Clone(after[table]), lacks(before[table]))
		if len(gone) != missing[table] || len(fresh) != added[table] {
			t.Errorf("%s: %d of %d rows are missing and %d new, want %d and %d", table, len(gone), len(before[table]),
				len(fresh), missing[table], added[table])
		}
	}
}

// rows returns all rows of all tables of a database as text.
func rows(t *testing.T, dsn string) map[string][]string {
	t.Helper()
	db, all := connect(t, dsn), map[string][]string{}
	for _, table := range query(t, db,
		`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`) {
		all[table] = query(t, db, fmt.Sprintf(`SELECT t::text FROM %q t`, table))
	}
	return all
}

func query(t *testing.T, db *sql.DB, statement string) (texts []string) {
	t.Helper()
	found, err := db.QueryContext(t.Context(), statement)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		var text string
		if err := found.Scan(&text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}
