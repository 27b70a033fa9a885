package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
)

// process is a service in a process of its own, so that it can be killed.
type process struct {
	*exec.Cmd

	public string
}

// startProcess runs `serve` in a process of its own and waits until it listens.
func startProcess(t *testing.T, dsn, documents string) *process {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return startProgram(t, program, dsn, documents)
}

// startProgram is startProcess of any executable of the service.
func startProgram(t *testing.T, program, dsn, documents string) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(context.WithoutCancel(t.Context()), program)}
	p.Args = []string{"shipments-svc", "serve"} // by this name the test program is the service
	p.Env = []string{
		"DATABASE_URL=" + dsn, "LISTEN_ADDRESS=127.0.0.1:0", "INNER_ADDRESS=127.0.0.1:0", "QUAYSIDE_DEMO=true", webhookKeys,
		"DOCUMENTS_DIR=" + documents, "HOME=" + os.Getenv("HOME"), // where compiled PDFium is kept
		"GOMEMLIMIT=400MiB", // as in the image
	}
	log, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	lines := json.NewDecoder(log)
	for p.public == "" {
		var line struct{ Msg, Server, Address string }
		if err := lines.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if line.Msg == "listening" && line.Server == "public" {
			p.public = line.Address
		}
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	return p
}

func (p *process) kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

func (p *process) request(t *testing.T, org, method, path, media string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+p.public+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(assertion.HeaderOrganization, org)
	req.Header.Set(assertion.HeaderToken, "tok_4fZyo82mVyR1")
	req.Header.Set(
		assertion.HeaderPermissions, "documents:read documents:write shipments:read shipments:write webhooks:manage",
	)
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	return req
}

// do sends a request, again while the answer is 503: the machine may be busy.
func (p *process) do(t *testing.T, org, method, path, media string, body []byte) (int, []byte) {
	t.Helper()
	for {
		status, answer := p.send(t, org, method, path, media, body)
		if status != http.StatusServiceUnavailable {
			return status, answer
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// send sends a request once.
func (p *process) send(t *testing.T, org, method, path, media string, body []byte) (int, []byte) {
	t.Helper()
	res, err := http.DefaultClient.Do(p.request(t, org, method, path, media, bytes.NewReader(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, answer
}

// shipment creates a shipment and returns its path.
func (p *process) shipment(t *testing.T, org string) string {
	t.Helper()
	status, answer := p.do(
		t,
		org,
		http.MethodPost,
		"/api/v1/shipments",
		"application/json",
		[]byte(
			`{"shipment":{"reference":"PO-1","vessel":"MSC Carmen","origin":"Valparaíso","destination":"Rotterdam"}}`,
		),
	)
	var created struct{ Shipment struct{ ID string } }
	if err := json.Unmarshal(answer, &created); err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s", status, answer)
	}
	return "/api/v1/shipments/" + created.Shipment.ID
}

// upload creates a shipment and attaches a packing list of n pallets.
func (p *process) upload(t *testing.T, org string, n int) (shipment string) {
	t.Helper()
	shipment = p.shipment(t, org)
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.WriteField("type", "packing_list")
	file, _ := w.CreateFormFile("file", "list.csv")
	_, _ = io.WriteString(file, "Pallet;Product;Size;Cartons;Net kg/carton\n")
	for i := range n {
		_, _ = fmt.Fprintf(file, "P-%05d;Avocado Hass;18;264;4,125\n", i)
	}
	_ = w.Close()
	if status, answer := p.do(t, org, http.MethodPost, shipment+"/documents", w.FormDataContentType(),
		body.Bytes()); status != http.StatusCreated {
		t.Fatalf("%d %s", status, answer)
	}
	return shipment
}

// TestNoDocumentIsLostWhenAWorkerIsKilled: the whole program is killed at moments of its
// work, and the next one finishes it, once.
func TestNoDocumentIsLostWhenAWorkerIsKilled(t *testing.T) {
	t.Parallel()
	const pallets = 300
	dsn, documents, org := postgrestest.New(t, postgres.Migrate), t.TempDir(), publicid.New("org")
	db, err := sqlx.Open("postgres", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	count := func(query string) (n int) {
		t.Helper()
		if err := db.GetContext(t.Context(), &n, query); err != nil {
			t.Fatal(err)
		}
		return n
	}
	// Each is true from one moment of the work on.
	for moment, reached := range map[string]string{
		"queued":    `SELECT count(*) FROM jobs`,
		"claimed":   `SELECT count(*) FROM jobs WHERE lease IS NOT NULL`,
		"begun":     `SELECT count(*) FROM documents WHERE status = 'processing'`,
		"published": `SELECT count(*) FROM documents WHERE status = 'processed'`,
	} {
		first := startProcess(t, dsn, documents)
		before := count(`SELECT count(*) FROM documents WHERE status = 'processed'`)
		shipment := first.upload(t, org, pallets)
		for n := 0; n <= before && count(`SELECT count(*) FROM documents WHERE status = 'processed'`) == before; {
			if n = count(reached); moment != "published" && n > 0 {
				break
			}
		}
		first.kill()
		// as when the lease has ended
		if _, err := db.ExecContext(t.Context(), `UPDATE jobs SET claimable_at = now()`); err != nil {
			t.Fatal(err)
		}
		second := startProcess(t, dsn, documents)
		for count(`SELECT count(*) FROM jobs`) > 0 { // until it is done
			if t.Context().Err() != nil {
				t.Fatal("the job is never done")
			}
		}
		_, answer := second.do(t, org, http.MethodGet, shipment, "", nil)
		var shown struct {
			Shipment struct {
				Status       string
				PalletsCount int `json:"pallets_count"`
				Pallets      []struct{}
			}
		}
		if err := json.Unmarshal(answer, &shown); err != nil || shown.Shipment.Status != "ready_for_review" ||
			shown.Shipment.PalletsCount != pallets ||
			len(shown.Shipment.Pallets) != pallets {
			t.Errorf("killed when %s: %.400s (%v)", moment, answer, err)
		}
		second.kill()
	}
	if n := count(`SELECT count(*) FROM shipment_history WHERE action = 'process_document'`); n != 4 {
		t.Errorf("published %d times, want 4", n)
	}
	if n := count(`SELECT count(*) FROM pallets`); n != 4*pallets {
		t.Errorf("%d pallets, want %d", n, 4*pallets)
	}
}
