package backup

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/lib/pq" // database/sql's "postgres"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// product is a running stack.
type product struct {
	*devstack.Stack
	dir string
}

func start(t *testing.T, opts devstack.Options) product {
	t.Helper()
	if os.Getenv("CI") == "" {
		for _, program := range []string{"pg_dump", "restic"} {
			if _, err := exec.LookPath(program); err != nil {
				t.Skipf("there is no %s on this machine", program)
			}
		}
	}
	opts.Log = os.Stderr
	s, err := devstack.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for _, p := range s.Programs() {
			if !p.Ended() {
				t.Errorf("%s still runs", p.Name)
			}
		}
	})
	return product{s, opts.Dir}
}

// tempDir returns a directory for a stack's state.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "quayside-drill-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = devstack.Clean(dir) })
	return dir
}

func (p product) token(t *testing.T) devstack.Token {
	t.Helper()
	token, err := p.CreateToken(t.Context(), p.Demo.Organization, "admin", "--limit", "100000")
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// status is that of a request with a token.
func (p product) status(t *testing.T, token string) int {
	t.Helper()
	return p.call(t, http.MethodGet, "/api/v1/shipments?per_page=1", token, nil, "").status
}

// reply is a response that was read.
type reply struct {
	status int
	body   []byte
}

// call sends a request.
func (p product) call(t *testing.T, method, path, token string, content []byte, contentType string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, p.URL+path, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, text}
}

// upload creates a shipment with a document and returns the document's path and
// the SHA-256 of its file.
func (p product) upload(t *testing.T, token string, n int) (path string, sum [sha256.Size]byte) {
	t.Helper()
	var created struct{ Shipment struct{ ID string } }
	p.create(t, "/api/v1/shipments", token, &created, "application/json", fmt.Appendf(nil,
		`{"shipment":{"reference":"DRILL-%d","vessel":"MSC Carmen",`+
			`"origin":"Cape Town, ZA","destination":"Rotterdam, NL"}}`, n))
	content := fmt.Appendf(nil, "Pallet,Produce,Calibre,Boxes,Box weight (kg)\nP%04d,Oranges,72,80,15.0\n", n)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	file, err := w.CreateFormFile("file", "packing-list.csv")
	if err == nil {
		_, err = file.Write(content)
	}
	if err == nil {
		err = w.WriteField("type", "packing_list")
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Error(err)
	}
	var attached struct{ Document struct{ ID string } }
	shipment := "/api/v1/shipments/" + created.Shipment.ID
	p.create(t, shipment+"/documents", token, &attached, w.FormDataContentType(), form.Bytes())
	return shipment + "/documents/" + attached.Document.ID, sha256.Sum256(content)
}

// create sends a POST and decodes the response, which must be a success. What a busy machine answers
// with 503 is sent again.
func (p product) create(t *testing.T, path, token string, into any, contentType string, content []byte) {
	t.Helper()
	res := p.call(t, http.MethodPost, path, token, content, contentType)
	for tries := 0; res.status == http.StatusServiceUnavailable && tries < 20; tries++ {
		time.Sleep(time.Second)
		res = p.call(t, http.MethodPost, path, token, content, contentType)
	}
	if err := json.Unmarshal(res.body, into); err != nil || res.status >= 300 {
		t.Errorf("POST %s: %d %s", path, res.status, res.body)
	}
}

// tokensSvc runs the command line of tokens-svc.
func (p product) tokensSvc(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.Program("tokens-svc").Command[0], args...)
	cmd.Env = p.Program("tokens-svc").Environ()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tokens-svc %s: %v", args, err)
	}
	return string(out)
}

// script runs deploy/backup/NAME with the databases, the store and the secrets of
// a stack.
func script(t *testing.T, p product, name string, more []string, args ...string) string {
	t.Helper()
	out, err := command(p, name, more, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

func command(p product, name string, more []string, args ...string) *exec.Cmd {
	cmd := exec.Command("bash", slices.Concat([]string{"-ec", `. ./passwords; exec "$0" "$@"`, "./" + name}, args)...)
	environ := slices.DeleteFunc(slices.Concat(p.Program("tokens-svc").Environ(), p.Program("shipments-svc").Environ()),
		func(setting string) bool {
			return strings.HasPrefix(setting, "DATABASE_")
		})
	cmd.Env = slices.Concat(environ, []string{
		"DATABASE_URL_FILE=/run/secrets/of_the_program", "TMPDIR=" + p.dir, // as in containers
		"TOKENS_DATABASE_URL=" + p.DSN("tokens"), "SHIPMENTS_DATABASE_URL=" + p.DSN("shipments"),
		"TOKENS_SVC=" + p.Program("tokens-svc").Command[0], "SHIPMENTS_SVC=" + p.Program("shipments-svc").Command[0],
	}, more)
	return cmd
}

// database is a server's DSN with another database.
func database(server, name string) string {
	u, _ := url.Parse(server)
	u.Path = "/" + name
	return u.String()
}

func connect(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func execute(t *testing.T, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
