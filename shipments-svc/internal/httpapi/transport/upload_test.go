package transport_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"maps"
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

func (plainReader) Read(_ context.Context, _ shipments.DocumentType, _ shipments.Kind, content io.ReaderAt, size int64) (shipments.Reading, error) {
	var read shipments.Reading
	for lines := bufio.NewScanner(io.NewSectionReader(content, 0, size)); lines.Scan(); {
		if lines.Text() == "unreadable" {
			return shipments.Reading{}, &shipments.UnreadableError{Failure: shipments.Failure{Code: "no_header_row", Detail: "There is no header row."}}
		}
		read.RowsRead++
		read.Pallets = append(read.Pallets, shipments.Pallet{
			Number: lines.Text(), ProduceName: "Plum", Boxes: 7, BoxWeight: 5500, Source: shipments.Source{Sheet: "PL", Row: read.RowsRead + 10},
			Places: shipments.Places{Calibre: shipments.Place{Row: 3}}, Contents: []shipments.Content{{ProduceName: "Plum", Lot: "L7", Orchard: "HUE 0816", Boxes: 3, Place: shipments.Place{Row: 11}}, {Boxes: 4}},
		})
	}
	read.Facts = []shipments.Fact{{Kind: shipments.VesselFact, Text: "MSC Carmen", Place: shipments.Place{Row: 1}}}
	read.Remarks = []shipments.Remark{{Code: "row_skipped", Text: "A row was skipped"}}
	read.Mappings = []shipments.Mapping{{Sheet: "PL", HeaderRow: 9, HeaderRows: 2, Columns: []shipments.MappedColumn{
		{Column: "A", Heading: "Pallet No", Field: "pallet_number", Used: true},
		{Column: "B", Heading: "Boxes per layer", Reason: "it is about a layer"},
		{Column: "C", Heading: "Net kg", Field: "net_weight", Unit: "kg", Used: true},
	}, Skipped: []shipments.SkippedRow{{Row: 14, Reason: "it is a total"}}}}
	return read, nil
}

// works has a worker read documents until the test ends.
func (a *api) works(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		worker.New(a.jobs, a.service.(*shipments.Service), nil, slog.New(slog.DiscardHandler), func(worker.Outcome, time.Duration) {}).Run(ctx, 1)
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
	return call{method: http.MethodPost, path: path + "/documents", body: body.String()}.with("Content-Type", w.FormDataContentType())
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

// TestAFileBecomesPallets, whichever way it is sent, and comes back as it was.
func TestAFileBecomesPallets(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.works(t)
	const content, name = "P-1\nP-2\nP-3\n", "Liste Äpfel 42.csv"
	for how, send := range map[string]func(string) call{
		"JSON": func(path string) call { return file(path, "packing_list", name, content) },
		"form": func(path string) call {
			return form(path, part{name: "file", filename: name, media: "application/vnd.ms-excel", value: content}, part{name: "type", value: "packing_list"})
		},
	} {
		path := collection + "/" + a.create(t)
		res := a.do(t, send(path))
		res.wants(t, http.StatusCreated, "")
		doc := res.document(t).Document
		if doc.Status != "queued" || doc.Filename != name || doc.ContentType != "text/csv" || doc.Size != 12 || res.header.Get("Location") != path+"/documents/"+doc.ID {
			t.Errorf("%s: %s", how, res.body)
		}
		shown := a.until(t, path, "ready_for_review")
		for _, want := range []string{
			`{"pallet_number":"P-2","produce_name":"Plum","calibre":"","boxes":7,"box_weight_kg":5.5,"document_id":"` + doc.ID + `","sheet":"PL","row":12,` +
				`"places":{"calibre":{"row":3}},"contents":[{"produce_name":"Plum","calibre":"","lot":"L7","orchard":"HUE 0816","boxes":3,"box_weight_kg":0,"row":11},{"produce_name":"","calibre":"","boxes":4,"box_weight_kg":0}]}`,
			`"locations":[{"pallet_number":"P-1","document_id":"` + doc.ID + `","sheet":"PL","row":11}`,
			`"facts":[{"kind":"vessel","text":"MSC Carmen","row":1}],"remarks":[{"code":"row_skipped","text":"A row was skipped"}]`,
		} {
			if !strings.Contains(string(shown.body), want) {
				t.Errorf("%s: %s is not in %s", how, want, shown.body)
			}
		}
		only := a.do(t, call{path: path, permissions: new("shipments:read")})
		if only.wants(t, http.StatusOK, ""); strings.Contains(string(only.body), `"facts"`) || strings.Contains(string(only.body), `"remarks"`) {
			t.Errorf("%s: without documents:read %s", how, only.body)
		}
		var actions []string
		for _, entry := range a.history(t, path).History {
			actions = append(actions, entry.Action)
		}
		if got := strings.Join(actions, " "); got != "process_document start_document attach_document create" {
			t.Errorf("%s: the history is %s", how, got)
		}
		got := a.do(t, call{path: res.header.Get("Location") + "/content"})
		if got.wants(t, http.StatusOK, ""); string(got.body) != content || got.header.Get("Content-Type") != "text/csv" || got.header.Get("X-Content-Type-Options") != "nosniff" ||
			got.header.Get("Content-Disposition") != `attachment; filename="Liste _pfel 42.csv"; filename*=UTF-8''Liste%20%C3%84pfel%2042.csv` ||
			got.header.Get("ETag") != `"`+doc.SHA256+`"` || !strings.HasPrefix(got.header.Get("Content-Security-Policy"), "sandbox;") {
			t.Errorf("%s: %v, %q", how, got.header, got.body)
		}
		a.do(t, remove(res.header.Get("Location"))).wants(t, http.StatusNoContent, "")
	}
	if n := a.left(t); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

func TestDownloadsAnswerConditionsAndRanges(t *testing.T) {
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
		"known":         {content.with("If-None-Match", tag), http.StatusNotModified, ""},
		"a range":       {content.with("Range", "bytes=2-4"), http.StatusPartialContent, "234"},
		"the end":       {content.with("Range", "bytes=-2").with("If-Range", tag), http.StatusPartialContent, "89"},
		"of another":    {content.with("Range", "bytes=-2").with("If-Range", `"x"`), http.StatusOK, "0123456789"},
		"several":       {content.with("Range", "bytes=0-1,3-4"), http.StatusOK, "0123456789"},
		"head":          {call{method: http.MethodHead, path: content.path}, http.StatusOK, ""},
		"another unit":  {content.with("Range", "rows=1"), http.StatusOK, "0123456789"},
		"past the end":  {content.with("Range", "bytes=10-"), http.StatusRequestedRangeNotSatisfiable, "*"},
		"malformed":     {content.with("Range", "bytes=5-2"), http.StatusRequestedRangeNotSatisfiable, "*"},
		"not that one":  {content.with("If-Match", `"x"`), http.StatusPreconditionFailed, "*"},
		"that one":      {content.with("If-Match", tag), http.StatusOK, "0123456789"},
		"of a list":     {call{path: a.do(t, attach(path)).header.Get("Location") + "/content"}, http.StatusNotFound, "*"},
		"of nothing":    {call{path: path + noDocument + "/content"}, http.StatusNotFound, "*"},
		"with a query":  {call{path: content.path + "?x=1"}, http.StatusBadRequest, "*"},
		"of a stranger": {content.with("X-Organization-ID", "org_00000000000000000000000001"), http.StatusNotFound, "*"},
	} {
		if got := a.do(t, c.call); got.status != c.status || c.body != "*" && string(got.body) != c.body {
			t.Errorf("%s: status %d, %s", name, got.status, got.body)
		} else if got.status >= http.StatusBadRequest && got.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %v, %s", name, got.header, got.body)
		} else if got.status == http.StatusRequestedRangeNotSatisfiable && got.header.Get("Content-Range") != "bytes */10" {
			t.Errorf("%s: Content-Range %q", name, got.header.Get("Content-Range"))
		}
	}
}

// TestAFileThatCannotBeReadFailsAndSaysWhy, and can be read again.
func TestAFileThatCannotBeReadFailsAndSaysWhy(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.works(t)
	path := collection + "/" + a.create(t)
	location := a.do(t, file(path, "packing_list", "n.csv", "unreadable\n")).header.Get("Location")
	a.until(t, path, "pending")
	doc := a.do(t, call{path: location}).document(t).Document
	if doc.Status != "failed" || doc.Error.Code != "no_header_row" || doc.Error.Detail != "There is no header row." {
		t.Errorf("%+v", doc)
	}
	a.do(t, remove(path)).conflict(t, "invalid_transition")
	again := a.do(t, call{method: http.MethodPost, path: location + "/reprocess"}.with("Idempotency-Key", "k"))
	if again.wants(t, http.StatusAccepted, ""); again.document(t).Document.Status != "queued" || again.header.Get("Location") != location {
		t.Errorf("%s, %v", again.body, again.header)
	}
	if replayed := a.do(t, call{method: http.MethodPost, path: location + "/reprocess"}.with("Idempotency-Key", "k")); replayed.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("done again: %s", replayed.body)
	}
	a.until(t, path, "pending")
	a.do(t, remove(location)).wants(t, http.StatusNoContent, "")
	a.do(t, remove(path)).wants(t, http.StatusNoContent, "")

	listed := collection + "/" + a.create(t)
	list := a.do(t, attach(listed)).header.Get("Location")
	a.do(t, call{method: http.MethodPost, path: list + "/reprocess"}).conflict(t, "not_reprocessable")
}

func TestADryRunOfAFileStoresNothing(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	parts := []part{{name: "type", value: "packing_list"}, {name: "dry_run", value: "true"}}
	res := a.do(t, form(path, append(parts, part{name: "file", filename: "n.csv", value: "P-1\nP-1\n"})...))
	res.wants(t, http.StatusOK, "")
	if got := res.document(t); got.Document.ID != "" || got.Document.PalletsExtracted != 2 || checkOf(t, got.Checks, "duplicate_pallets").Result != "fail" {
		t.Errorf("%s", res.body)
	}
	if want := `"mappings":[{"sheet":"PL","header_row":9,"header_rows":2,"columns":[{"column":"A","heading":"Pallet No","field":"pallet_number","used":true},` +
		`{"column":"B","heading":"Boxes per layer","used":false,"reason":"it is about a layer"},{"column":"C","heading":"Net kg","field":"net_weight","unit":"kg","used":true}],` +
		`"skipped_rows":[{"row":14,"reason":"it is a total"}]}]`; !strings.Contains(string(res.body), want) {
		t.Errorf("%s", res.body)
	}
	res = a.do(t, form(path, append(parts, part{name: "file", filename: "n.csv", value: "unreadable\n"})...))
	if got := res.document(t).Document; got.Status != "failed" || got.Error.Code != "no_header_row" {
		t.Errorf("%s", res.body)
	}
	if shown := a.do(t, call{path: path}); shown.header.Get("ETag") != `"2.1"` || a.left(t) != 0 {
		t.Errorf("%d files, %s", a.left(t), shown.body)
	}
}

func TestTheSameFileIsRefusedOnce(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	first := a.do(t, file(path, "packing_list", "a.csv", "P-1\n"))
	again := a.do(t, form(path, part{name: "type", value: "other"}, part{name: "file", filename: "b.csv", value: "P-1\n"})).conflict(t, "duplicate_document")
	if !strings.HasSuffix(first.header.Get("Location"), "/"+again.DocumentID) || a.left(t) != 1 {
		t.Errorf("%+v, %d files", again, a.left(t))
	}
}

// TestAFormSentAgainIsTheSame, although its boundary is another.
func TestAFormSentAgainIsTheSame(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	send := func(content string) answer {
		return a.do(t, form(path, part{name: "type", value: "other"}, part{name: "file", filename: "b.csv", value: content}).with("Idempotency-Key", "k"))
	}
	first := send("P-1\n")
	first.wants(t, http.StatusCreated, "")
	if again := send("P-1\n"); again.header.Get("Idempotency-Replayed") != "true" || string(again.body) != string(first.body) {
		t.Errorf("%d %s", again.status, again.body)
	}
	send("P-2\n").wants(t, http.StatusUnprocessableEntity, "idempotency_key_reused")
}

// bomb is an XLSX file that unpacks to far more than it is.
func bomb() string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"[Content_Types].xml", "xl/workbook.xml"} {
		w, _ := z.Create(name)
		_, _ = w.Write(make([]byte, 40<<20))
	}
	_ = z.Close()
	return b.String()
}

// TestWhatIsNoDocumentIsRefusedAndLeavesNothing: neither a row nor a file.
func TestWhatIsNoDocumentIsRefusedAndLeavesNothing(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	const pdf, png, html = "%PDF-1.7\n%âãÏÓ\n", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "<!DOCTYPE html><html><script>alert(1)</script></html>"
	named := func(name string) call { return file(path, "other", name, "x") }
	sent := func(parts ...part) call { return form(path, parts...) }
	kind, fine := part{name: "type", value: "other"}, part{name: "file", filename: "f.txt", value: "x"}
	for name, c := range map[string]struct {
		call
		status int
		code   string
		wants  string // in the body
	}{
		"a name with directories":   {named("../../etc/passwd"), 422, "validation_failed", `"/document/filename"`},
		"a name with backslashes":   {named(`..\x`), 422, "validation_failed", `"/document/filename"`},
		"a name with NUL":           {named("a\x00b.txt"), 422, "validation_failed", `"/document/filename"`},
		"a name that turns":         {named("a\u202etxt.exe"), 422, "validation_failed", `"/document/filename"`},
		"no name":                   {named(""), 422, "validation_failed", `"/document/filename"`},
		"a lying ending":            {file(path, "other", "list.csv", pdf), 422, "unsupported_document", "the content is a PDF"},
		"a lying media type":        {sent(kind, part{name: "file", filename: "f", media: "image/png", value: "x"}), 422, "unsupported_document", "the content is a CSV or text file"},
		"a picture as packing list": {file(path, "packing_list", "scan.png", png), 422, "unsupported_document", "image/png"},
		"a page":                    {file(path, "other", "page.html", html), 422, "unsupported_document", "text/html is not supported"},
		"a program":                 {file(path, "other", "x", "\x7fELF\x02\x01\x01"), 422, "unsupported_document", "is not supported"},
		"a damaged archive":         {file(path, "packing_list", "x.xlsx", "PK\x03\x04"+strings.Repeat("x", 100)), 422, "unsupported_document", "damaged"},
		"a zip bomb":                {file(path, "packing_list", "x.xlsx", bomb()), 422, "unsupported_document", "more than 64 MiB"},
		"an empty file":             {file(path, "other", "f.txt", ""), 422, "validation_failed", `"/document/content_base64"`},
		"no base64":                 {call{method: "POST", path: path + "/documents", body: `{"document":{"type":"other","filename":"f","content_base64":"a b"}}`}, 422, "validation_failed", "must be base64"},
		"bytes after the padding":   {call{method: "POST", path: path + "/documents", body: `{"document":{"type":"other","filename":"f","content_base64":"eA==eA=="}}`}, 422, "validation_failed", "must be base64"},
		"not even text":             {call{method: "POST", path: path + "/documents", body: `{"document":{"type":"other","filename":"f","content_base64":7}}`}, 422, "validation_failed", `"/document/content_base64"`},
		"file and pallets": {
			call{method: "POST", path: path + "/documents", body: strings.Replace(list, `"type"`, `"filename":"f","content_base64":"eA==","type"`, 1)},
			422, "validation_failed", `"/document/pallets"`,
		},
		"JSON cut short":        {call{method: "POST", path: path + "/documents", body: `{"document":{"content_base64":"` + strings.Repeat("eHh4", 10_000)}, 400, "malformed_json", ""},
		"a file too large":      {file(path, "other", "f.txt", strings.Repeat("x", 10<<20+1)), 413, "body_too_large", "10485760"},
		"a form too large":      {sent(kind, part{name: "file", filename: "f.txt", value: strings.Repeat("x", 10<<20+1)}), 413, "body_too_large", "10485760"},
		"50 MB":                 {call{method: "POST", path: path + "/documents", body: strings.Repeat(" ", 50<<20)}, 413, "body_too_large", ""},
		"a form with a path":    {sent(kind, part{name: "file", filename: "../x.txt", value: "x"}), 422, "validation_failed", `"/filename"`},
		"a form without a file": {sent(kind), 422, "validation_failed", `"/file"`},
		"a form without a name": {sent(kind, part{name: "file", value: "x"}), 422, "validation_failed", `"/filename"`},
		"a form without a type": {sent(fine), 422, "validation_failed", `"/type"`},
		"another part":          {sent(kind, fine, part{name: "tipe", value: "x"}), 422, "unknown_field", `did you mean \"type\"`},
		"a part twice":          {sent(kind, kind, fine), 422, "validation_failed", `"/type"`},
		"two files":             {sent(kind, fine, fine), 422, "validation_failed", `"/file"`},
		"a long value":          {sent(part{name: "type", value: strings.Repeat("x", 5000)}, fine), 422, "validation_failed", `"too_long"`},
		"perhaps":               {sent(kind, fine, part{name: "dry_run", value: "perhaps"}), 422, "validation_failed", `"/dry_run"`},
		"no boundary":           {sent(kind, fine).with("Content-Type", "multipart/form-data"), 400, "malformed_form", ""},
		"another boundary":      {sent(kind, fine).with("Content-Type", "multipart/form-data; boundary=x"), 400, "malformed_form", "another boundary"},
		"a form cut short":      {call{method: "POST", path: path + "/documents", body: strings.TrimSuffix(sent(kind, fine).body, "--\r\n")}.with("Content-Type", sent(kind, fine).header.Get("Content-Type")), 400, "malformed_form", "ends early"},
		"a form without heads":  {call{method: "POST", path: path + "/documents", body: "--x\r\nno head\r\n"}.with("Content-Type", "multipart/form-data; boundary=x"), 400, "malformed_form", "not whole"},
		"another form":          {sent(kind, fine).with("Content-Type", "application/x-www-form-urlencoded"), 415, "unsupported_media_type", "multipart/form-data"},
	} {
		res := a.do(t, c.call)
		if res.wants(t, c.status, c.code); !strings.Contains(string(res.body), c.wants) {
			t.Errorf("%s: %s is not in %s", name, c.wants, res.body)
		}
	}
	if shown := a.do(t, call{path: path}); shown.header.Get("ETag") != `"2.1"` || a.left(t) != 0 {
		t.Errorf("%d files are left, and %s", a.left(t), shown.body)
	}
}

// TestAnInterruptedUploadLeavesNothing, wherever the client hangs up.
func TestAnInterruptedUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	for _, c := range []call{
		file(path, "packing_list", "n.csv", strings.Repeat("P-1\n", 50_000)),
		form(path, part{name: "type", value: "packing_list"}, part{name: "file", filename: "n.csv", value: strings.Repeat("P-1\n", 50_000)}),
	} {
		for _, sent := range []int{10, len(c.body) / 2, len(c.body) - 1} {
			ctx, hangUp := context.WithCancel(t.Context())
			body, write := io.Pipe()
			req, err := http.NewRequestWithContext(ctx, c.method, a.url+c.path, body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header = http.Header{"X-Organization-ID": {a.org}, "X-Token-ID": {"tok_4fZyo82mVyR1"}, "X-Token-Permissions": {allowed}, "Content-Type": {"application/json"}}
			maps.Copy(req.Header, c.header)
			req.ContentLength = int64(len(c.body))
			go func() {
				_, _ = io.WriteString(write, c.body[:sent])
				hangUp()
				_ = write.CloseWithError(io.ErrUnexpectedEOF)
			}()
			if res, err := http.DefaultClient.Do(req); err == nil {
				_ = res.Body.Close()
				t.Errorf("%d of %d bytes were answered with %d", sent, len(c.body), res.StatusCode)
			}
		}
	}
	for n := 0; n < 6; n = strings.Count(a.log.String(), `"path":"`+path+`/documents"`) { // until each is over
	}
	if shown := a.do(t, call{path: path}); shown.header.Get("ETag") != `"2.1"` || a.left(t) != 0 {
		t.Errorf("%d files are left, and %s", a.left(t), shown.body)
	}
}

// TestWithoutAPlaceForFilesItIsUnavailable: nothing is wrong with the request.
func TestWithoutAPlaceForFilesItIsUnavailable(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	if err := os.WriteFile(filepath.Join(a.files, a.org), nil, 0o600); err != nil { // where a directory is wanted
		t.Fatal(err)
	}
	a.do(t, file(path, "packing_list", "n.csv", "P-1\n")).wants(t, http.StatusServiceUnavailable, "unavailable")
	if shown := a.do(t, call{path: path}); shown.header.Get("ETag") != `"2.1"` {
		t.Errorf("%s", shown.body)
	}
}
