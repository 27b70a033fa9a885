package browser

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/lib/pq" // the driver
	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// secretOf is the secret part of a token, after shpt_<env>_<id>_.
func secretOf(token string) string { return token[23:] }

// pieces returns every 8 consecutive characters of a secret: plain, in hex, and in
// base64 at each alignment.
func pieces(secrets ...string) (all [][]byte) {
	for _, text := range secrets {
		secret := []byte(text)
		for i := range len(secret) - 8 + 1 {
			piece := secret[i : i+8]
			all = append(all, piece, []byte(hex.EncodeToString(piece)), []byte(strings.ToUpper(hex.EncodeToString(piece))))
		}
		for i := range len(secret) - 9 + 1 { // three bytes are four characters
			piece := secret[i : i+9]
			all = append(all, []byte(base64.StdEncoding.EncodeToString(piece)), []byte(base64.URLEncoding.EncodeToString(piece)))
		}
	}
	return all
}

func holds(content []byte, pieces [][]byte) bool {
	for _, piece := range pieces {
		if bytes.Contains(content, piece) {
			return true
		}
	}
	return false
}

// clean fails the test if a place contains one of the pieces.
func clean(t *testing.T, place string, content []byte, pieces [][]byte) {
	t.Helper()
	if len(content) == 0 {
		t.Errorf("%s is empty", place)
	}
	for _, piece := range pieces {
		if i := bytes.Index(content, piece); i >= 0 {
			t.Errorf("%s contains %q, a piece of a secret, after %q", place, piece, content[max(0, i-60):i])
			return
		}
	}
}

// databaseDump is every row of every table of a service, as text.
func databaseDump(t *testing.T, name string) []byte {
	t.Helper()
	db, err := sql.Open("postgres", stack.DSN(name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var dump bytes.Buffer
	for table := range strings.FieldsSeq(column(t, db, `SELECT format('%I.%I', schemaname, tablename)
		FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`)) {
		fmt.Fprintf(&dump, "%s\n%s\n", table, column(t, db, "SELECT t::text FROM "+table+" t"))
	}
	return dump.Bytes()
}

// column returns the values of a query's only column, a line each.
func column(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var lines strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines.WriteString(line + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

// redisDump is every key of Redis and its value.
func redisDump(t *testing.T) []byte {
	t.Helper()
	options, err := redis.ParseURL(stack.RedisURL)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	var dump bytes.Buffer
	keys := client.Scan(t.Context(), 0, "*", 1000).Iterator()
	for keys.Next(t.Context()) {
		value, err := client.Dump(t.Context(), keys.Val()).Result()
		if err != nil && err != redis.Nil { //nolint:errorlint // go-redis returns it as it is
			t.Fatal(err)
		}
		fmt.Fprintf(&dump, "%s %s\n", keys.Val(), value)
	}
	if err := keys.Err(); err != nil {
		t.Fatal(err)
	}
	return dump.Bytes()
}

// metrics is the /metrics of a program.
func metrics(t *testing.T, program *devstack.Program) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+program.Inner+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// files is the content of all files below dir.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	contents := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		contents[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return contents
}
