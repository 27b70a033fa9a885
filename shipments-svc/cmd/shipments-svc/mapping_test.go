package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
)

// TestTheReaderUsesCorrectionsAndTemplates: the process that reads gets what a person
// gave, and the templates of the fingerprints that it found.
func TestTheReaderUsesCorrectionsAndTemplates(t *testing.T) {
	t.Parallel()
	p := startProcess(t, postgrestest.New(t, postgres.Migrate), t.TempDir())
	org := publicid.New("org")
	list := func(boxes int) []byte {
		text := fmt.Sprintf(
			"Pallet;Product;Size;Cartons;Spare;Net kg/carton\nP-1;Plum;A;%d;7;5,0\nP-2;Plum;A;%d;8;5,0\n", boxes, boxes,
		)
		return fmt.Appendf(nil, `{"document":{"type":"packing_list","filename":"l.csv","content_base64":"%s"}}`,
			base64.StdEncoding.EncodeToString([]byte(text)))
	}
	first := p.readDocument(t, org, p.shipment(t, org), list(80))
	if got := p.boxes(t, org, first); got != "80 80" {
		t.Errorf("as the headings say: %s boxes", got)
	}
	twice := `{"mappings":[{"columns":[{"column":"D","field":"boxes"},{"column":"E","field":"boxes"}]}]}`
	status, answer := p.do(t, org, http.MethodPut, first+"/mapping", "application/json", []byte(twice))
	if !bytes.Contains(answer, []byte("/mappings/0/columns/1/field")) || status != http.StatusUnprocessableEntity {
		t.Errorf("boxes in two columns: %d %s", status, answer)
	}
	body := `{"mappings":[{"columns":[{"column":"D"},{"column":"E","field":"boxes"}]}],"save_as":"Spare boxes"}`
	status, answer = p.do(t, org, http.MethodPut, first+"/mapping", "application/json", []byte(body))
	if status != http.StatusAccepted {
		t.Fatalf("%d %s", status, answer)
	}
	if got := p.boxes(t, org, first); got != "7 8" {
		t.Errorf("corrected: %s boxes", got)
	}
	second := p.readDocument(t, org, p.shipment(t, org), list(90))
	if got := p.boxes(t, org, second); got != "7 8" {
		t.Errorf("by the template: %s boxes", got)
	}
	_, answer = p.do(t, org, http.MethodGet, second, "", nil)
	if !bytes.Contains(answer, []byte(`"source":"template","template":"Spare boxes"`)) {
		t.Errorf("%s", answer)
	}
}

// readDocument attaches a document and returns its path.
func (p *process) readDocument(t *testing.T, org, shipment string, body []byte) string {
	t.Helper()
	status, answer := p.do(t, org, http.MethodPost, shipment+"/documents", "application/json", body)
	var attached struct{ Document struct{ ID string } }
	if err := json.Unmarshal(answer, &attached); err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s", status, answer)
	}
	return shipment + "/documents/" + attached.Document.ID
}

// boxes waits until a document is read, and returns the boxes of the shipment's pallets.
func (p *process) boxes(t *testing.T, org, document string) string {
	t.Helper()
	shipment, _, _ := strings.Cut(document, "/documents/")
	for {
		_, answer := p.do(t, org, http.MethodGet, shipment, "", nil)
		var got struct {
			Shipment struct {
				Status  string
				Pallets []struct{ Boxes int }
			}
		}
		if err := json.Unmarshal(answer, &got); err != nil {
			t.Fatalf("%v: %s", err, answer)
		}
		if got.Shipment.Status == "processing" {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if len(got.Shipment.Pallets) == 0 {
			_, answer = p.do(t, org, http.MethodGet, document, "", nil)
			t.Fatalf("no pallets: %s", answer)
		}
		var all []string
		for _, pallet := range got.Shipment.Pallets {
			all = append(all, fmt.Sprint(pallet.Boxes))
		}
		return strings.Join(all, " ")
	}
}
