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
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	mapping := shipments.Mapping{
		Sheet: "PL", Fingerprint: "5c1f", Source: shipments.FromHeadings, HeaderRow: 9, HeaderRows: 2,
		Columns: []shipments.MappedColumn{
			{Column: "A", Heading: "Pallet No", Field: "pallet_number", Used: true},
			{Column: "B", Heading: "Boxes per layer", Reason: "it is about a layer"},
			{Column: "C", Heading: "Net kg", Field: "net_weight", Unit: "kg", Used: true},
		}, Skipped: []shipments.SkippedRow{{Row: 14, Reason: "it is a total"}},
	}
	for _, a := range given {
		mapping.Source, mapping.Template = shipments.FromPerson, a.Template
		if a.Template != "" {
			mapping.Source = shipments.FromTemplate
		}
	}
	for lines := bufio.NewScanner(io.NewSectionReader(content, 0, size)); lines.Scan(); {
		if lines.Text() == "unreadable" {
			return shipments.Reading{}, &shipments.UnreadableError{
				Failure: shipments.Failure{Code: "no_header_row", Detail: "There is no header row."},
			}
		}
		if lines.Text() == "ambiguous" && given == nil {
			mapping.Candidates = []shipments.Candidate{{Text: "B", Columns: []shipments.AssignedColumn{{Column: "B"}}}}
			return shipments.Reading{}, &shipments.UnreadableError{
				Failure:  shipments.Failure{Code: shipments.AmbiguousMapping, Detail: "Two readings agree."},
				Mappings: []shipments.Mapping{mapping},
			}
		}
		read.RowsRead++
		read.Pallets = append(read.Pallets, shipments.Pallet{
			Number: lines.Text(), ProduceName: "Plum", Boxes: 7, BoxWeight: 5500,
			Source:      shipments.Source{Sheet: "PL", Row: read.RowsRead + 10},
			Particulars: shipments.Particulars{NetWeight: 38_500, Labels: shipments.Labels{Container: "MSKU0000001"}},
			Places: shipments.Places{
				Calibre: shipments.Place{Row: 3},
			}, Contents: []shipments.Content{
				{
					ProduceName: "Plum",
					Particulars: shipments.Particulars{Labels: shipments.Labels{Lot: "L7", Orchard: "HUE 0816"}}, Boxes: 3,
					Place: shipments.Place{Row: 11},
				},
				{Boxes: 4},
			},
		})
	}
	read.Facts = []shipments.Fact{{Kind: shipments.VesselFact, Text: "MSC Carmen", Place: shipments.Place{Row: 1}}}
	read.Remarks = []shipments.Remark{{Code: "row_skipped", Text: "A row was skipped"}}
	read.Mappings = []shipments.Mapping{mapping}
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
	return call{method: http.MethodPost, path: path + "/documents", body: string(body)}
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
	return call{
		method: http.MethodPost,
		path:   path + "/documents",
		body:   body.String(),
	}.with("Content-Type", w.FormDataContentType())
}

type uploaded struct {
	Document struct {
		ID, Type, Status, Filename, SHA256 string
		ContentType                        string `json:"content_type"`
		Size                               int64  `json:"size_bytes"`
		RowsRead                           int    `json:"rows_read"`
		PalletsExtracted                   int    `json:"pallets_extracted"`
		Error                              struct{ Code, Detail string }
		Facts, Remarks                     []map[string]any
	}
	Checks []checkShown
}

func (r answer) document(tb testing.TB) uploaded {
	tb.Helper()
	var got uploaded
	if err := json.Unmarshal(r.body, &got); err != nil {
		tb.Fatalf("%v: %s", err, r.body)
	}
	return got
}

// TestUploadedFileIsReadIntoPallets, whichever way it is sent, and comes back as it was.
func TestUploadedFileIsReadIntoPallets(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.works(t)
	const content, name = "P-1\nP-2\nP-3\n", "Liste Äpfel 42.csv"
	for how, send := range map[string]func(string) call{
		"JSON": func(path string) call { return file(path, "packing_list", name, content) },
		"form": func(path string) call {
			return form(path, part{name: "file", filename: name, media: "application/vnd.ms-excel", value: content},
				part{name: "type", value: "packing_list"})
		},
	} {
		path := collection + "/" + a.create(t)
		res := a.do(t, send(path))
		res.wants(t, http.StatusCreated, "")
		doc := res.document(t).Document
		if doc.Status != "queued" || doc.Filename != name || doc.ContentType != "text/csv" || doc.Size != 12 ||
			res.header.Get("Location") != path+"/documents/"+doc.ID {
			t.Errorf("%s: %s", how, res.body)
		}
		shown := a.until(t, path, "ready_for_review")
		for _, want := range []string{
			`{"pallet_number":"P-2","produce_name":"Plum","calibre":"","boxes":7,"box_weight_kg":5.5,"net_weight_kg":38.5,` +
				`"container_number":"MSKU0000001","document_id":"` + doc.ID + `","sheet":"PL","row":12,` +
				`"places":{"calibre":{"row":3}},"contents":[{"produce_name":"Plum","calibre":"","boxes":3,"box_weight_kg":0,` +
				`"lot":"L7","orchard":"HUE 0816","row":11},{"produce_name":"","calibre":"","boxes":4,"box_weight_kg":0}]}`,
			`"locations":[{"pallet_number":"P-1","document_id":"` + doc.ID + `","sheet":"PL","row":11}`,
			`"facts":[{"kind":"vessel","text":"MSC Carmen","row":1}],"remarks":[{"code":"row_skipped","text":"A row was ` +
				`skipped"}]`,
		} {
			if !strings.Contains(string(shown.body), want) {
				t.Errorf("%s: %s is not in %s", how, want, shown.body)
			}
		}
		only := a.do(t, call{path: path, permissions: new("shipments:read")})
		if only.wants(t, http.StatusOK, ""); strings.Contains(string(only.body), `"facts"`) ||
			strings.Contains(string(only.body), `"remarks"`) {
			t.Errorf("%s: without documents:read %s", how, only.body)
		}
		var actions []string
		for _, entry := range a.history(t, path).History {
			actions = append(actions, entry.Action)
		}
		if got := strings.Join(actions, " "); got != "process_document attach_document create" {
			t.Errorf("%s: the history is %s", how, got)
		}
		got := a.do(t, call{path: res.header.Get("Location") + "/content"})
		if got.wants(t, http.StatusOK, ""); string(got.body) != content || got.header.Get("Content-Type") != "text/csv" ||
			got.header.Get("X-Content-Type-Options") != "nosniff" ||
			got.header.Get("Content-Disposition") != `attachment; filename="Liste _pfel 42.csv"; `+
				`filename*=UTF-8''Liste%20%C3%84pfel%2042.csv` ||
			got.header.Get("ETag") != `"`+doc.SHA256+`"` ||
			!strings.HasPrefix(got.header.Get("Content-Security-Policy"), "sandbox;") {
			t.Errorf("%s: %v, %q", how, got.header, got.body)
		}
		a.do(t, remove(res.header.Get("Location"))).wants(t, http.StatusNoContent, "")
	}
	if n := a.left(t); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

// TestDownloadsAnswerConditions, and one that was cut goes on where it ended, if the file is the same.
func TestDownloadsAnswerConditions(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	res := a.do(t, file(path, "other", "n.txt", "0123456789"))
	res.wants(t, http.StatusCreated, "")
	if doc := res.document(t).Document; doc.Status != "processed" {
		t.Errorf("%s", res.body)
	}
	content := call{path: res.header.Get("Location") + "/content"}
	tag := a.do(t, content).header.Get("ETag")
	for name, c := range map[string]struct {
		call
		status int
		body   string
	}{
		"known":       {content.with("If-None-Match", tag), http.StatusNotModified, ""},
		"known, weak": {content.with("If-None-Match", "W/"+tag), http.StatusNotModified, ""},
		"known, of two": {
			call{path: content.path, header: http.Header{"If-None-Match": {`"x"`, tag}}},
			http.StatusNotModified, "",
		},
		"one of two": {
			call{path: content.path, header: http.Header{"If-Match": {`"x"`, tag}}},
			http.StatusOK,
			"0123456789",
		},
		"none":       {content.with("If-Match", ""), http.StatusPreconditionFailed, "*"},
		"a weak one": {content.with("If-Match", "W/"+tag), http.StatusPreconditionFailed, "*"},
		"since":      {content.with("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"), http.StatusOK, "0123456789"},
		"a range":    {content.with("Range", "bytes=2-4"), http.StatusPartialContent, "234"},
		"the rest": {
			content.with("Range", "bytes=4-").with("If-Range", tag), http.StatusPartialContent, "456789",
		},
		"of another file": {content.with("Range", "bytes=4-").with("If-Range", `"x"`), http.StatusOK, "0123456789"},
		"beyond":          {content.with("Range", "bytes=10-"), http.StatusRequestedRangeNotSatisfiable, "*"},
		"head":            {call{method: http.MethodHead, path: content.path}, http.StatusOK, ""},
		"not that one":    {content.with("If-Match", `"x"`), http.StatusPreconditionFailed, "*"},
		"that one":        {content.with("If-Match", tag), http.StatusOK, "0123456789"},
		"of a list":       {call{path: a.do(t, attach(path)).header.Get("Location") + "/content"}, http.StatusNotFound, "*"},
		"of nothing":      {call{path: path + noDocument + "/content"}, http.StatusNotFound, "*"},
		"with a query":    {call{path: content.path + "?x=1"}, http.StatusBadRequest, "*"},
		"of a stranger":   {content.with("X-Organization-ID", "org_00000000000000000000000001"), http.StatusNotFound, "*"},
	} {
		if got := a.do(t, c.call); got.status != c.status || c.body != "*" && string(got.body) != c.body {
			t.Errorf("%s: status %d, %s", name, got.status, got.body)
		} else if got.status >= http.StatusBadRequest && got.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %v, %s", name, got.header, got.body)
		}
	}
}

func TestADryRunOfAFileStoresNothing(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	parts := []part{{name: "type", value: "packing_list"}, {name: "dry_run", value: "true"}}
	res := a.do(t, form(path, append(parts, part{name: "file", filename: "n.csv", value: "P-1\nP-1\n"})...))
	res.wants(t, http.StatusOK, "")
	if got := res.document(t); got.Document.ID != "" || got.Document.PalletsExtracted != 2 ||
		checkOf(t, got.Checks, "duplicate_pallets").Result != "fail" {
		t.Errorf("%s", res.body)
	}
	if want := `"mappings":[{"sheet":"PL","header_row":9,"header_rows":2,"fingerprint":"5c1f","source":"headings",` +
		`"columns":[{"column":"A",`; !strings.Contains(
		string(res.body), want,
	) {
		t.Errorf("%s", res.body)
	}
	res = a.do(t, form(path, append(parts, part{name: "file", filename: "n.csv", value: "unreadable\n"})...))
	if got := res.document(t).Document; got.Status != "failed" || got.Error.Code != "no_header_row" {
		t.Errorf("%s", res.body)
	}
	if shown := a.do(t, call{path: path}); shown.header.Get("ETag") != `"3.1"` || a.left(t) != 0 {
		t.Errorf("%d files, %s", a.left(t), shown.body)
	}
}

// TestRepeatedFormIsReplayed, although its boundary is another.
func TestRepeatedFormIsReplayed(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	send := func(content string) answer {
		return a.do(
			t,
			form(
				path, part{name: "type", value: "other"}, part{name: "file", filename: "b.csv", value: content},
			).with("Idempotency-Key", "k"),
		)
	}
	first := send("P-1\n")
	first.wants(t, http.StatusCreated, "")
	if again := send("P-1\n"); again.header.Get("Idempotency-Replayed") != "true" ||
		string(again.body) != string(first.body) {
		t.Errorf("%d %s", again.status, again.body)
	}
	send("P-2\n").wants(t, http.StatusUnprocessableEntity, "idempotency_key_reused")
}

// TestALostFileIsAttachedAgain as its remark and the missing content say: what was read of it stays until the document
// is deleted, and the same content is attached.
func TestALostFileIsAttachedAgain(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.works(t)
	path := collection + "/" + a.create(t)
	attach := file(path, "packing_list", "l.csv", "P-1\nP-2")
	res := a.do(t, attach)
	res.wants(t, http.StatusCreated, "")
	document := res.header.Get("Location")
	a.until(t, path, "ready_for_review")
	if err := os.Remove(filepath.Join(a.files, a.org, filepath.Base(document))); err != nil {
		t.Fatal(err)
	}
	a.do(t, call{path: document + "/content"}).wants(t, http.StatusNotFound, "not_found")
	a.do(t, call{method: http.MethodPost, path: document + "/reprocess"}).wants(t, http.StatusAccepted, "")
	if left := a.until(t, path, "ready_for_review").shipment(t)["pallets"].([]any); len(left) != 2 {
		t.Errorf("%v", left)
	}
	a.do(t, call{path: document}).has(t, `"status":"processed"`, `"pallets_extracted":2`, `"code":"file_missing"`)
	a.do(t, call{method: http.MethodDelete, path: document}).wants(t, http.StatusNoContent, "")
	a.do(t, attach).wants(t, http.StatusCreated, "")
	if count := a.until(t, path, "ready_for_review").shipment(t)["pallets_count"]; count != 2.0 {
		t.Errorf("%v pallets", count)
	}
}
