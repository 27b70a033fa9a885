package transport_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAShipmentWhoseOnlyListFailedIsRejectedOrDeleted, with its file.
func TestAShipmentWhoseOnlyListFailedIsRejectedOrDeleted(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.works(t)
	failed := func() string {
		path := collection + "/" + a.create(t)
		a.do(t, file(path, "packing_list", "n.csv", "unreadable\n")).wants(t, http.StatusCreated, "")
		a.until(t, path, "pending")
		return path
	}
	a.do(t, remove(failed())).wants(t, http.StatusNoContent, "")
	if n := a.left(t); n != 0 {
		t.Errorf("%d files are left", n)
	}
	rejected := failed()
	a.do(t, reject(rejected)).wants(t, http.StatusOK, "")
	a.do(t, remove(rejected)).conflict(t, "invalid_transition")
}

// TestUnreadableFileFailsWithAReason, and can be read again.
func TestUnreadableFileFailsWithAReason(t *testing.T) {
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
	again := a.do(t, call{method: http.MethodPost, path: location + "/reprocess"}.with("Idempotency-Key", "k"))
	if again.wants(t, http.StatusAccepted, ""); again.document(t).Document.Status != "queued" ||
		again.header.Get("Location") != location {
		t.Errorf("%s, %v", again.body, again.header)
	}
	if replayed := a.do(t, call{method: http.MethodPost, path: location + "/reprocess"}.with("Idempotency-Key",
		"k")); replayed.header.Get(
		"Idempotency-Replayed",
	) != "true" {
		t.Errorf("done again: %s", replayed.body)
	}
	a.until(t, path, "pending")
	a.do(t, remove(location)).wants(t, http.StatusNoContent, "")
	a.do(t, remove(path)).wants(t, http.StatusNoContent, "")

	listed := collection + "/" + a.create(t)
	list := a.do(t, attach(listed)).header.Get("Location")
	a.do(t, call{method: http.MethodPost, path: list + "/reprocess"}).conflict(t, "not_reprocessable")
}

func TestTheSameFileIsRefusedOnce(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	first := a.do(t, file(path, "packing_list", "a.csv", "P-1\n"))
	again := a.do(t, form(path, part{name: "type", value: "other"},
		part{name: "file", filename: "b.csv", value: "P-1\n"})).
		conflict(t, "duplicate_document")
	if !strings.HasSuffix(first.header.Get("Location"), "/"+again.DocumentID) || a.left(t) != 1 {
		t.Errorf("%+v, %d files", again, a.left(t))
	}
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

// TestInvalidUploadIsRejectedAndLeavesNoFile: neither a row nor a file.
func TestInvalidUploadIsRejectedAndLeavesNoFile(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	const pdf, png, html = "%PDF-1.7\n%âãÏÓ\n", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "<!DOCTYPE " +
		"html><html><script>alert(1)</script></html>"
	named := func(name string) call { return file(path, "other", name, "x") }
	sent := func(parts ...part) call { return form(path, parts...) }
	kind, fine := part{name: "type", value: "other"}, part{name: "file", filename: "f.txt", value: "x"}
	for name, c := range map[string]struct {
		call
		status int
		code   string
		wants  string // in the body
	}{
		"a name with directories": {named("../../etc/passwd"), 422, "validation_failed", `"/document/filename"`},
		"a name with backslashes": {named(`..\x`), 422, "validation_failed", `"/document/filename"`},
		"a lying ending": {
			file(path, "other", "list.csv", pdf), 422, "unsupported_document",
			"the content is a PDF",
		},
		"an encoded form": {
			sent(kind, fine).with("Content-Encoding", "gzip"), 415, "unsupported_media_type",
			"content encoding",
		},
		"a picture as packing list": {
			file(path, "packing_list", "scan.png", png), 422, "unsupported_document",
			"image; send the file that it was printed from",
		},
		"a damaged archive": {
			file(path, "packing_list", "x.xlsx", "PK\x03\x04"+strings.Repeat("x", 100)), 422,
			"unsupported_document", "damaged",
		},
		"a zip bomb": {
			file(path, "packing_list", "x.xlsx", bomb()), 422, "unsupported_document",
			"more than 64 MiB",
		},
		"an empty file": {
			file(path, "other", "f.txt", ""), 422, "validation_failed",
			`"/document/content_base64"`,
		},
		"no base64": {
			call{
				method: "POST", path: path + "/documents",
				body: `{"document":{"type":"other","filename":"f","content_base64":"a b"}}`,
			},
			422, "validation_failed",
			"must be base64",
		},
		"a name without a file": {
			call{
				method: "POST", path: path + "/documents",
				body: strings.Replace(list, `"type"`, `"filename":"f","content_base64":null,"type"`, 1),
			},
			422, "validation_failed",
			"content_base64 is missing",
		},
		"file and pallets": {
			call{
				method: "POST", path: path + "/documents",
				body: strings.Replace(list, `"type"`, `"filename":"f","content_base64":"eA==","type"`, 1),
			},
			422, "validation_failed", `"/document/pallets"`,
		},
		"JSON cut short": {call{method: "POST", path: path + "/documents", body: `{"document":{"content_base64":"` +
			strings.Repeat("eHh4", 10_000)}, 400, "malformed_json", ""},
		"a file too large": {
			file(path, "other", "f.txt", strings.Repeat("x", 10<<20+1)), 413, "body_too_large",
			"10485760",
		},
		"a form too large": {
			sent(kind, part{name: "file", filename: "f.txt", value: strings.Repeat("x", 10<<20+1)}),
			413, "body_too_large", "10485760",
		},
		"50 MB": {
			call{method: "POST", path: path + "/documents", body: strings.Repeat(" ", 50<<20)},
			413,
			"body_too_large", "",
		},
		"a form without a file": {sent(kind), 422, "validation_failed", `"/file"`},
		"a form without a name": {sent(kind, part{name: "file", value: "x"}), 422, "validation_failed", `"/file"`},
		"a form without a type": {sent(fine), 422, "validation_failed", `"/type"`},
		"another part": {
			sent(kind, fine, part{name: "tipe", value: "x"}), 422, "unknown_field",
			`did you mean \"type\"`,
		},
		"a part in base64": {
			sent(kind, part{"file", "f.txt", "text/plain\r\nContent-Transfer-Encoding: base64", "eA=="}), 422,
			"validation_failed", "send its bytes as they are",
		},
		"a part twice": {sent(kind, kind, fine), 422, "validation_failed", `"/type"`},
		"two files":    {sent(kind, fine, fine), 422, "validation_failed", `"/file"`},
		"perhaps": {
			sent(kind, fine, part{name: "dry_run", value: "perhaps"}), 422, "validation_failed",
			`"/dry_run"`,
		},
		"no boundary": {sent(kind, fine).with("Content-Type", "multipart/form-data"), 400, "malformed_form", ""},
		"another boundary": {
			sent(kind, fine).with("Content-Type", "multipart/form-data; boundary=x"), 400,
			"malformed_form", "another boundary",
		},
		"a form cut short": {call{
			method: "POST", path: path + "/documents",
			body: strings.TrimSuffix(sent(kind, fine).body, "--\r\n"),
		}.with("Content-Type", sent(kind, fine).header.Get("Content-Type")), 400, "malformed_form", "ends early"},
		"a form without heads": {
			call{
				method: "POST", path: path + "/documents",
				body: "--x\r\nno head\r\n",
			}.with("Content-Type", "multipart/form-data; boundary=x"), 400, "malformed_form",
			"not whole",
		},
		"another form": {
			sent(kind, fine).with("Content-Type", "application/x-www-form-urlencoded"), 415,
			"unsupported_media_type", "multipart/form-data",
		},
	} {
		res := a.do(t, c.call)
		if res.wants(t, c.status, c.code); !strings.Contains(string(res.body), c.wants) {
			t.Errorf("%s: %s is not in %s", name, c.wants, res.body)
		}
	}
	if shown := a.do(t, call{path: path}); shown.header.Get("ETag") != `"3.1"` || a.left(t) != 0 {
		t.Errorf("%d files are left, and %s", a.left(t), shown.body)
	}
}

// TestAFormMayNameACharset, which has no meaning for its parts.
func TestAFormMayNameACharset(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	c := form(
		collection+"/"+a.create(t), part{name: "type", value: "other"},
		part{name: "file", filename: "b.csv", value: "P-1\n"},
	)
	media := c.header.Get("Content-Type") + "; charset=ISO-8859-1"
	a.do(t, c.with("Content-Type", media)).wants(t, http.StatusCreated, "")
}

// TestAnInterruptedUploadLeavesNothing, wherever the client hangs up.
func TestAnInterruptedUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	for _, c := range []call{
		file(path, "packing_list", "n.csv", strings.Repeat("P-1\n", 50_000)),
		form(path, part{name: "type", value: "packing_list"},
			part{name: "file", filename: "n.csv", value: strings.Repeat("P-1\n", 50_000)}),
	} {
		for _, sent := range []int{10, len(c.body) / 2, len(c.body) - 1} {
			ctx, hangUp := context.WithCancel(t.Context())
			body, write := io.Pipe()
			req, err := http.NewRequestWithContext(ctx, c.method, a.url+c.path, body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header = http.Header{
				"X-Organization-ID":   {a.org},
				"X-Token-ID":          {"tok_4fZyo82mVyR1"},
				"X-Token-Permissions": {allowed},
				"Content-Type":        {"application/json"},
			}
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
	if shown := a.do(t, call{path: path}); shown.header.Get("ETag") != `"3.1"` || a.left(t) != 0 {
		t.Errorf("%d files are left, and %s", a.left(t), shown.body)
	}
}

// TestUploadWithoutStorageIsUnavailable: nothing is wrong with the request.
func TestUploadWithoutStorageIsUnavailable(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	if err := os.WriteFile(filepath.Join(a.files, a.org), nil, 0o600); err != nil { // where a directory is wanted
		t.Fatal(err)
	}
	a.do(t, file(path, "packing_list", "n.csv", "P-1\n")).wants(t, http.StatusServiceUnavailable, "unavailable")
	if shown := a.do(t, call{path: path}); shown.header.Get("ETag") != `"3.1"` {
		t.Errorf("%s", shown.body)
	}
}
