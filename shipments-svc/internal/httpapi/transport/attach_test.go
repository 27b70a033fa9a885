package transport_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAPackingListMakesAShipmentReadyForReview, from the document through its
// pallets and the checks to the approval.
func TestAPackingListMakesAShipmentReadyForReview(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	res := a.do(t, attach(path))
	res.wants(t, http.StatusCreated, "")
	got := res.document(t)
	doc := got.Document
	if location := res.header.Get("Location"); location != path+"/documents/"+doc.ID || doc.Type != "packing_list" ||
		doc.Status != "processed" || doc.RowsRead != 2 || doc.PalletsExtracted != 2 ||
		fmt.Sprint(doc.Declared) != "map[boxes:528 container_number:CSQU 305438-3 net_weight_kg:2145.5 pallets:2]" {
		t.Errorf("%s, Location %s", res.body, location)
	}
	for name, want := range map[string]string{
		"pallet_count_declared": "pass 2 pallets declared, 2 pallets listed.",
		"container_number":      "pass CSQU3054383: check digit is correct.",
		"calibre_known":         "pass 2 of 2 pallets compared with the calibres of their produce.",
		"sscc_check_digit":      "skip No pallet has an SSCC (18 digits).",
	} {
		if c := got.check(name); !strings.HasPrefix(c, want) {
			t.Errorf("%s: %s, want %s", name, c, want)
		}
	}
	shown := a.do(t, call{path: path})
	s := shown.shipment(t)
	if s["status"] != "ready_for_review" || s["pallets_count"] != 2.0 || shown.header.Get("ETag") != version(2) ||
		len(s["checks"].([]any)) != len(got.Checks) {
		t.Errorf("%s", shown.body)
	}
	shown.has(t, `{"pallet_number":"0042","produce_name":"Avocado Hass","calibre":"20","boxes":264,"box_weight_kg":4,`+
		`"document_id":"`+doc.ID+`","row":2}`)
	if h := a.history(t, path).History[0]; h.Action != "attach_document" || h.DocumentID != doc.ID ||
		h.Status != "ready_for_review" {
		t.Errorf("%+v", h)
	}
	if n := a.list(t, "?status=ready_for_review&check_result=pass").Meta.Total; n != 1 {
		t.Errorf("%d are listed", n)
	}
	a.do(t, approve(path)).wants(t, http.StatusOK, "")
	a.do(t, remove(res.header.Get("Location"))).conflict(t, "invalid_transition")
}

// TestChecksNameTheLocationOfEachFault, and once it is mended the shipment can go.
func TestChecksNameTheLocationOfEachFault(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	res := a.do(t, post(path+"/documents", strings.Replace(givenList, "0041", "0042", 1)))
	got := res.document(t)
	if c := got.check("duplicate_pallets"); c != "fail Pallet 0042 appears on rows 1 and 2." {
		t.Error(c)
	}
	res.has(t, `"count":2,"locations":[{"pallet_number":"0042","document_id":"`+got.Document.ID+`","row":1},`)
	if p := a.do(t, approve(path)).conflict(t, "checks_failing"); !slices.Equal(p.Failing, []string{"duplicate_pallets"}) {
		t.Errorf("%+v", p)
	}
	if n := a.list(t, "?check_result=fail").Meta.Total; n != 1 {
		t.Errorf("%d are listed", n)
	}
	a.do(t, reject(path)).wants(t, http.StatusOK, "")
	a.do(t, remove(res.header.Get("Location"))).wants(t, http.StatusNoContent, "")
	a.do(t, call{path: path}).has(t, `"status":"pending"`, `"pallets_count":0`, `"checks":[],"documents":[]`)
	a.do(t, attach(path)).wants(t, http.StatusCreated, "")
	a.do(t, approve(path)).wants(t, http.StatusOK, "")
}

// TestTheSameContentIsRefusedOnce of a shipment, as pallets and as a file, however it is written and named.
func TestTheSameContentIsRefusedOnce(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	for first, again := range map[*call]call{
		new(attach(path)): post(path+"/documents", strings.ReplaceAll(givenList, ",", " ,\n")),
		new(file(path, "packing_list", "a.csv", "P-1\n")): form(
			path, part{name: "type", value: "other"}, part{name: "file", filename: "b.csv", value: "P-1\n"}),
	} {
		location := a.do(t, *first).header.Get("Location")
		if p := a.do(t, again).conflict(t, "duplicate_document"); !strings.HasSuffix(location, "/"+p.DocumentID) {
			t.Errorf("%+v, the first is %s", p, location)
		}
	}
	a.do(t, post(path+"/documents", strings.Replace(givenList, "0041", "0043", 1))).wants(t, http.StatusCreated, "")
	// Of another shipment; the checks, which say what other documents have, are for tokens that may read shipments.
	other := a.do(t, attach(collection+"/"+a.create(t)).with("X-Token-Permissions", "documents:write"))
	if other.wants(t, http.StatusCreated, ""); len(other.document(t).Checks) > 0 {
		t.Errorf("%s", other.body)
	}
	if n := a.left(t); n != 1 {
		t.Errorf("%d files are left", n)
	}
}

// TestUploadedFileIsReadIntoPallets, whichever way it is sent.
func TestUploadedFileIsReadIntoPallets(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.works(t)
	const content, name = "P-1\nP-2\nP-3\n", "Liste Äpfel 42.csv"
	for how, send := range map[string]func(string) call{
		"JSON": func(path string) call { return file(path, "packing_list", name, content) },
		"form": func(path string) call { // which may name a charset
			c := form(path, part{name: "file", filename: name, media: "application/vnd.ms-excel", value: content},
				part{name: "type", value: "packing_list"})
			return c.with("Content-Type", c.header.Get("Content-Type")+"; charset=ISO-8859-1")
		},
	} {
		path := collection + "/" + a.create(t)
		res := a.do(t, send(path))
		doc := res.document(t).Document
		if res.status != http.StatusCreated || doc.Status != "queued" || doc.Filename != name ||
			doc.ContentType != "text/csv" || doc.Size != 12 || res.header.Get("Location") != path+"/documents/"+doc.ID {
			t.Errorf("%s: %s", how, res.body)
		}
		a.until(t, path, "ready_for_review").has(t,
			`{"pallet_number":"P-2","produce_name":"Plum","calibre":"","boxes":7,"box_weight_kg":5.5,"net_weight_kg":38.5,`+
				`"container_number":"MSKU0000001","document_id":"`+doc.ID+`","sheet":"PL","row":12,`+
				`"places":{"calibre":{"row":3}},"contents":[{"produce_name":"Plum","calibre":"","boxes":3,"box_weight_kg":0,`+
				`"lot":"L7","orchard":"HUE 0816","row":11},{"produce_name":"","calibre":"","boxes":4,"box_weight_kg":0}]}`,
			`"locations":[{"pallet_number":"P-1","document_id":"`+doc.ID+`","sheet":"PL","row":11}`,
			`"facts":[{"kind":"vessel","text":"MSC Carmen","row":1}],"remarks":[{"code":"row_skipped","text":"A row was `+
				`skipped"}]`)
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
	}
}

// TestRepeatedFormIsReplayed, although its boundary is another.
func TestRepeatedFormIsReplayed(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	send := func(content string) answer {
		return a.do(t, form(path, part{name: "type", value: "other"},
			part{name: "file", filename: "b.csv", value: content}).with("Idempotency-Key", "k"))
	}
	first := send("P-1\n")
	first.wants(t, http.StatusCreated, "")
	if again := send("P-1\n"); again.header.Get("Idempotency-Replayed") != "true" ||
		string(again.body) != string(first.body) {
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

// TestAttachHasTheseStatuses, and what is refused leaves neither a row nor a file.
func TestAttachHasTheseStatuses(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	const invalid, unsupported, large = "422 validation_failed, ", "422 unsupported_document, ", "413 body_too_large"
	const malformed, media, content = "400 malformed_form", "415 unsupported_media_type", "/document/content_base64"
	const plum = `{"pallet_number":"P","produce_name":"Plum","calibre":"A","boxes":1,"box_weight_kg":1}`
	sent := func(body string) call { return post(path+"/documents", body) }
	listed := func(rest string) call { return sent(`{"document":{"type":"packing_list","pallets":[` + plum + rest) }
	given := func(member string) call { return sent(strings.Replace(givenList, `"type"`, member+`,"type"`, 1)) }
	pdf := file(path, "other", "list.csv", "%PDF-1.7\n%âãÏÓ\n")
	png := file(path, "packing_list", "scan.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	formOf := func(parts ...part) call { return form(path, parts...) }
	kind, fine := part{name: "type", value: "other"}, part{name: "file", filename: "f.txt", value: "x"}
	tooLarge := strings.Repeat("x", 10<<20+1)
	cut := formOf(kind, fine)
	cut.body = strings.TrimSuffix(cut.body, "--\r\n")
	headless := cut.with("Content-Type", "multipart/form-data; boundary=x")
	headless.body = "--x\r\nno head\r\n"
	a.answers(t, map[string]status{
		"nothing":      {sent(`{}`), invalid + "required /document", ""},
		"an empty one": {sent(`{"document":{}}`), invalid + "required /document/type, required /document/pallets", ""},
		"a poem":       {given(`"type":"poem","x":1`), "400 malformed_json", "given twice"},
		"no pallets": {
			sent(`{"document":{"type":"packing_list","pallets":[]}}`), invalid + "required /document/pallets", "",
		},
		"another type": {
			sent(strings.Replace(givenList, "packing_list", "poem", 1)), invalid + "invalid_value /document/type", "",
		},
		"pallets as one": {
			sent(`{"document":{"type":"packing_list","pallets":{}}}`), invalid + "invalid_type /document/pallets", "",
		},
		"an empty pallet": {
			listed(`,{"palet_number":"x"}]}}`), invalid + "unknown_field /document/pallets/1/palet_number, required " +
				"/document/pallets/1/pallet_number, required /document/pallets/1/produce_name, required " +
				"/document/pallets/1/calibre, out_of_range /document/pallets/1/boxes, out_of_range " +
				"/document/pallets/1/box_weight_kg", "",
		},
		"too many boxes": {listed(`],"declared":{"boxes":1e30}}}`), invalid + "out_of_range /document/declared/boxes", ""},
		"null declared":  {listed(`],"declared":null}}`), invalid + "invalid_type /document/declared", ""},
		"a perhaps":      {listed(`]},"dry_run":"yes"}`), invalid + "invalid_type /dry_run", ""},
		"too many": {
			listed(strings.Repeat(","+plum, 10_000) + `]}}`), "422 too_many_pallets, too_many_pallets /document/pallets", "",
		},
		"a parameter": {
			post(path+"/documents?dry_run=true", givenList), "400 unknown_parameter, unknown_parameter dry_run", "",
		},

		"a name with directories": {
			file(path, "other", "../../etc/passwd", "x"), invalid + "invalid_text /document/filename", "",
		},
		"a name with backslashes": {
			file(path, "other", `..\x`, "x"),
			invalid + "invalid_text /document/filename, unsupported_document " + content, "",
		},
		"a lying ending":      {pdf, unsupported + "unsupported_document " + content, "the content is a PDF"},
		"a picture as a list": {png, unsupported + "unsupported_document " + content, "image; send the file that"},
		"a damaged archive": {
			file(path, "packing_list", "x.xlsx", "PK\x03\x04"+strings.Repeat("x", 100)),
			unsupported + "unsupported_document " + content, "damaged",
		},
		"a zip bomb": {
			file(path, "packing_list", "x.xlsx", bomb()), unsupported + "unsupported_document " + content, "more than 64 MiB",
		},
		"an empty file": {file(path, "other", "f.txt", ""), invalid + "required " + content, ""},
		"no base64": {
			sent(`{"document":{"type":"other","filename":"f","content_base64":"a b"}}`),
			invalid + "invalid_value " + content, "must be base64",
		},
		"a name without a file": {
			given(`"filename":"f","content_base64":null`),
			invalid + "invalid_type " + content + ", invalid_value /document/filename", "content_base64 is missing",
		},
		"a file and pallets": {
			given(`"filename":"f","content_base64":"eA=="`),
			invalid + "invalid_value /document/pallets, invalid_value /document/declared", "",
		},
		"cut short": {
			sent(`{"document":{"content_base64":"` + strings.Repeat("eHh4", 10_000)), "400 malformed_json", "",
		},
		"a file too large":      {file(path, "other", "f.txt", tooLarge), large, "10485760"},
		"50 MB":                 {sent(strings.Repeat(" ", 50<<20)), large, ""},
		"a form too large":      {formOf(kind, part{name: "file", filename: "f.txt", value: tooLarge}), large, "10485760"},
		"a form without a file": {formOf(kind), invalid + "required /file", ""},
		"a form without a name": {formOf(kind, part{name: "file", value: "x"}), invalid + "required /file", ""},
		"a form without a type": {formOf(fine), invalid + "required /type", ""},
		"another part": {
			formOf(kind, fine, part{name: "tipe", value: "x"}),
			"422 unknown_field, unknown_field /tipe", `did you mean \"type\"`,
		},
		"a part in base64": {
			formOf(kind, part{"file", "f.txt", "text/plain\r\nContent-Transfer-Encoding: base64", "eA=="}),
			invalid + "invalid_value /file", "send its bytes as they are",
		},
		"a part twice": {formOf(kind, kind, fine), invalid + "invalid_value /type", ""},
		"two files":    {formOf(kind, fine, fine), invalid + "invalid_value /file", ""},
		"perhaps":      {formOf(kind, fine, part{name: "dry_run", value: "perhaps"}), invalid + "invalid_value /dry_run", ""},
		"no boundary":  {formOf(kind, fine).with("Content-Type", "multipart/form-data"), malformed, ""},
		"another boundary": {
			formOf(kind, fine).with("Content-Type", "multipart/form-data; boundary=x"), malformed, "another boundary",
		},
		"a form cut short":     {cut, malformed, "ends early"},
		"a form without heads": {headless, malformed, "not whole"},
		"an encoded form":      {formOf(kind, fine).with("Content-Encoding", "gzip"), media, "content encoding"},
		"another form": {
			formOf(kind, fine).with("Content-Type", "application/x-www-form-urlencoded"), media, "multipart/form-data",
		},
	})
	if shown := a.do(t, call{path: path}); shown.header.Get("ETag") != version(1) || a.left(t) != 0 {
		t.Errorf("%d files are left, and %s", a.left(t), shown.body)
	}
}

// TestAnInterruptedUploadLeavesNothing, wherever the client hangs up.
func TestAnInterruptedUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	content := strings.Repeat("P-1\n", 50_000)
	for _, c := range []call{
		file(path, "packing_list", "n.csv", content),
		form(path, part{name: "type", value: "packing_list"}, part{name: "file", filename: "n.csv", value: content}),
	} {
		for _, sent := range []int{10, len(c.body) / 2, len(c.body) - 1} {
			ctx, hangUp := context.WithCancel(t.Context())
			body, write := io.Pipe()
			req, err := http.NewRequestWithContext(ctx, c.method, a.url+c.path, body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header = http.Header{
				"X-Organization-ID": {a.org}, "X-Token-ID": {token}, "X-Token-Permissions": {allowed},
				"Content-Type": {"application/json"},
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
	if shown := a.do(t, call{path: path}); shown.header.Get("ETag") != version(1) || a.left(t) != 0 {
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
	if shown := a.do(t, call{path: path}); shown.header.Get("ETag") != version(1) {
		t.Errorf("%s", shown.body)
	}
}
