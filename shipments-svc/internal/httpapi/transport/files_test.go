package transport_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"path/filepath"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/worker"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// plainReader stands for the child process: each line of a file is a pallet,
// and the lines of one that begins with "unreadable" are none.
type plainReader struct{}

func (plainReader) Read(
	_ context.Context, _ shipments.DocumentType, _ shipments.Kind, content io.ReaderAt, size int64,
	given []shipments.Assignment,
) (shipments.Reading, error) {
	var read shipments.Reading
	mapping := list.Mapping{
		Sheet: "PL", Fingerprint: "5c1f", Source: list.FromHeadings, HeaderRow: 9, HeaderRows: 2,
		Columns: []list.Column{
			{Column: "A", Heading: "Pallet No", Field: "pallet_number", Used: true},
			{Column: "B", Heading: "Boxes per layer", Reason: "it is about a layer"},
			{Column: "C", Heading: "Net kg", Field: "net_weight", Unit: "kg", Used: true},
		}, Skipped: []list.SkippedRow{{Row: 14, Reason: "it is a total"}},
	}
	for _, a := range given {
		mapping.Source, mapping.Template = list.FromPerson, a.Template
		if a.Template != "" {
			mapping.Source = list.FromTemplate
		}
	}
	for lines := bufio.NewScanner(io.NewSectionReader(content, 0, size)); lines.Scan(); {
		if lines.Text() == "unreadable" {
			return shipments.Reading{}, &shipments.UnreadableError{
				Failure: shipments.Failure{Code: "no_header_row", Detail: "There is no header row."},
			}
		}
		if lines.Text() == "ambiguous" && given == nil {
			mapping.Candidates = []list.Candidate{{Text: "B", Columns: []list.AssignedColumn{{Column: "B"}}}}
			return shipments.Reading{}, &shipments.UnreadableError{
				Failure:  shipments.Failure{Code: list.AmbiguousMapping, Detail: "Two readings agree."},
				Mappings: []list.Mapping{mapping},
			}
		}
		read.RowsRead++
		read.Pallets = append(read.Pallets, shipments.Pallet{
			Number: lines.Text(), ProduceName: "Plum", Boxes: 7, BoxWeight: 5500,
			Source:      shipments.Source{Sheet: "PL", Row: read.RowsRead + 10},
			Particulars: list.Particulars{NetWeight: 38_500, Labels: list.Labels{Container: "MSKU0000001"}},
			Places: list.Places{
				Calibre: list.Place{Row: 3},
			}, Contents: []list.Content{
				{
					ProduceName: "Plum",
					Particulars: list.Particulars{Labels: list.Labels{Lot: "L7", Orchard: "HUE 0816"}}, Boxes: 3,
					Place: list.Place{Row: 11},
				},
				{Boxes: 4},
			},
		})
	}
	read.Facts = []list.Fact{{Kind: list.VesselFact, Text: "MSC Carmen", Place: list.Place{Row: 1}}}
	read.Remarks = []list.Remark{{Code: "row_skipped", Text: "A row was skipped"}}
	read.Mappings = []list.Mapping{mapping}
	return read, nil
}

// works has a worker read documents until the test ends.
func (a *api) works(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		worker.New(a.jobs, a.service, nil, slog.New(slog.DiscardHandler), func(worker.Outcome, time.Duration) {}).
			Run(ctx, 1)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
}

// until waits for a status of a shipment, as a client does.
func (a *api) until(t *testing.T, path, status string) answer {
	t.Helper()
	tag := ""
	for {
		c := call{path: path}.with("Prefer", "wait=25").with("If-None-Match", tag)
		res := a.do(t, c)
		if res.wants(t, http.StatusOK, ""); res.shipment(t)["status"] == status {
			return res
		}
		tag = res.header.Get("ETag")
	}
}

// left returns how many files are kept, whole or not.
func (a *api) left(t *testing.T) (n int) {
	t.Helper()
	if err := filepath.WalkDir(a.files, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			n++
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// file is a request that attaches a file as JSON.
func file(path, kind, name, content string) call {
	body, _ := json.Marshal(map[string]any{"document": map[string]any{
		"type": kind, "filename": name, "content_base64": base64.StdEncoding.EncodeToString([]byte(content)),
	}})
	return post(path+"/documents", string(body))
}

// part is one of a form.
type part struct{ name, filename, media, value string }

// form is a request that attaches a file as a form.
func form(path string, parts ...part) call {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, p := range parts {
		header := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + p.name + `"`}}
		if p.filename != "" {
			header.Set("Content-Disposition", header.Get("Content-Disposition")+`; filename="`+p.filename+`"`)
		}
		if p.media != "" {
			header.Set("Content-Type", p.media)
		}
		into, _ := w.CreatePart(header)
		_, _ = io.WriteString(into, p.value)
	}
	_ = w.Close()
	return post(path+"/documents", body.String()).with("Content-Type", w.FormDataContentType())
}

// attached is what an answer shows of a document.
type attached struct {
	Document struct {
		ID, Type, Status, Filename, SHA256 string
		ContentType                        string `json:"content_type"`
		Size                               int64  `json:"size_bytes"`
		RowsRead                           int    `json:"rows_read"`
		PalletsExtracted                   int    `json:"pallets_extracted"`
		Error                              struct{ Code, Detail string }
		Declared                           map[string]any
	}
	Checks []struct {
		Name, Result, Details string
		Count                 int
		Locations             []struct {
			PalletNumber string `json:"pallet_number"`
			DocumentID   string `json:"document_id"`
			Row          int
		}
	}
}

func (r answer) document(tb testing.TB) (got attached) {
	tb.Helper()
	if err := json.Unmarshal(r.body, &got); err != nil {
		tb.Fatalf("%v: %s", err, r.body)
	}
	return got
}

// check is the result and the details of a check.
func (a attached) check(name string) string {
	for _, c := range a.Checks {
		if c.Name == name {
			return c.Result + " " + c.Details
		}
	}
	return "there is no check " + name
}

// givenList is a packing list that is given by its pallets.
const givenList = `{"document":{"type":"packing_list","pallets":[` +
	`{"pallet_number":"0041","produce_name":"Avocado Hass","calibre":"18","boxes":264,"box_weight_kg":4.125},` +
	`{"pallet_number":"0042","produce_name":"Avocado Hass","calibre":"20","boxes":2.64e2,"box_weight_kg":4}]` +
	`,"declared":{"pallets":2,"boxes":528,"net_weight_kg":2145.5,"container_number":"CSQU 305438-3"}}}`

func attach(path string) call { return post(path+"/documents", givenList) }

// Page shows a file that has one page.
func (plainReader) Table(context.Context, shipments.Document, io.ReaderAt, string, int) (shipments.TablePart, error) {
	return shipments.TablePart{}, nil
}

func (plainReader) Page(_ context.Context, _ shipments.Document, _ io.ReaderAt, number int) ([]byte, error) {
	if number > 1 {
		return nil, &shipments.UnreadableError{Failure: shipments.Failure{Code: "no_page"}}
	}
	return []byte(`{"table":{"sheet":"","rows":[{"row":1,"cells":["ZA-1"]}],"rows_count":1}}`), nil
}
