package transport_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
)

// TestADocumentIsShownAlike where it is attached, alone and in the list, with a tag of its own, by which or by that of
// its shipment an action may be restricted.
func TestADocumentIsShownAlike(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	attached := a.do(t, attach(path))
	one, tag := attached.header.Get("Location"), attached.header.Get("ETag")
	shown, _, _ := strings.Cut(string(attached.body), `,"checks"`)
	document := strings.TrimPrefix(shown, `{"document":`)
	res := a.do(t, call{path: one})
	if res.has(t, shown+"}"); res.header.Get("ETag") != tag || tag == "" {
		t.Errorf("%q, then %q", tag, res.header.Get("ETag"))
	}
	a.do(t, call{path: path + "/documents"}).has(t, `{"documents":[`+document+`]}`)
	a.do(t, call{path: one}.with("If-None-Match", tag)).wants(t, http.StatusNotModified, "")
	a.do(t, remove(one).with("If-Match", version(1))).wants(t, http.StatusPreconditionFailed, "etag_mismatch")
	a.do(t, remove(one).with("If-Match", tag)).wants(t, http.StatusNoContent, "")
}

// TestATypeIsCorrected: the file is read as what it is, and its pallets are those of a packing list only.
func TestATypeIsCorrected(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.works(t)
	path := collection + "/" + a.create(t)
	queued := a.do(t, file(path, "packing_list", "l.csv", "P-1")).header
	document := queued.Get("Location")
	if tag := queued.Get("ETag"); tag != `"3.packing_list.queued.1.0"` {
		t.Errorf("queued as %s", tag)
	}
	for _, c := range []struct {
		kind, status, shipment string
		pallets                float64
	}{
		{"bill_of_lading", "queued", "pending", 0},
		{"packing_list", "queued", "ready_for_review", 1},
		{"other", "processed", "pending", 0},
		{"packing_list", "queued", "ready_for_review", 1},
	} {
		a.until(t, path, map[float64]string{0: "ready_for_review", 1: "pending"}[c.pallets])
		edit := patch(document, `{"document":{"type":"`+c.kind+`"}}`)
		a.do(t, edit.with("If-Match", `"x"`)).wants(t, http.StatusPreconditionFailed, "etag_mismatch")
		a.do(t, edit).has(t, `"type":"`+c.kind+`","status":"`+c.status+`"`)
		shown := a.until(t, path, c.shipment)
		if s := shown.shipment(t); s["pallets_count"] != c.pallets || len(s["pallets"].([]any)) != int(c.pallets) {
			t.Errorf("%s: %s", c.kind, shown.body)
		}
	}
	a.do(t, call{path: path + "/history"}).has(t, `"action":"update_document"`,
		`"changes":[{"field":"type","from":"packing_list","to":"bill_of_lading"}]`)
}

// TestFaultsOfADocumentAreInTheBody, also those that are found only beside what the shipment has.
func TestFaultsOfADocumentAreInTheBody(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	a.do(t, attach(path)).wants(t, http.StatusCreated, "")
	png := a.do(t, file(path, "other", "scan.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")).header.Get("Location")
	const plum = `{"pallet_number":"P","produce_name":"Plum","calibre":"A","boxes":1,"box_weight_kg":1}`
	many := `{"document":{"type":"packing_list","pallets":[` + strings.Repeat(plum+",", 9_998) + plum + `]}}`
	a.answers(t, map[string]status{
		"a list of no file for it": {
			patch(png, `{"document":{"type":"packing_list"}}`),
			"422 unsupported_document, unsupported_document /document/type", "",
		},
		"no type": {patch(png, `{"document":{}}`), "422 validation_failed, required /document/type", ""},
		"too many together": {
			post(path+"/documents", many), "422 too_many_pallets, too_many_pallets /document/pallets", "",
		},
	})
}

func TestDocumentsOfOthersAndUnknownOnesAreNotFound(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path, other := collection+"/"+a.create(t), collection+"/"+a.create(t)
	location := a.do(t, attach(path)).header.Get("Location")
	const noDocumentText, noShipment = `"The shipment has no such document."`, `"There is no such shipment."`
	for detail, calls := range map[string][]call{
		noDocumentText: {
			{path: other + strings.TrimPrefix(location, path)},
			remove(other + strings.TrimPrefix(location, path)),
			{path: path + "/documents/doc_x"},
			remove(path + noDocument),
		},
		noShipment: {{path: nothing + "/documents"}, {path: nothing + noDocument}, attach(nothing)},
	} {
		for _, c := range calls {
			a.answers(t, map[string]status{c.method + " " + c.path: {c, "404 not_found", detail}})
		}
	}
	stranger := a.as(publicid.New("org"))
	for _, c := range []call{{path: location}, {path: path + "/documents"}, remove(location), attach(path)} {
		stranger.answers(t, map[string]status{c.method + " " + c.path: {c, "404 not_found", noShipment}})
	}
}

// TestContentHasTheseStatuses: a download comes back as it was, answers conditions, and one that was cut goes on where
// it ended, if the file is the same.
func TestContentHasTheseStatuses(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	res := a.do(t, file(path, "other", "Liste Äpfel 42.txt", "0123456789"))
	doc := res.document(t).Document
	if res.status != http.StatusCreated || doc.Status != "processed" {
		t.Errorf("%s", res.body)
	}
	content := call{path: res.header.Get("Location") + "/content"}
	got := a.do(t, content)
	for name, want := range map[string]string{
		"Content-Type": doc.ContentType, "X-Content-Type-Options": "nosniff", "ETag": `"` + doc.SHA256 + `"`,
		"Content-Security-Policy": "sandbox; default-src 'none'",
		"Content-Disposition": `attachment; filename="Liste _pfel 42.txt"; ` +
			`filename*=UTF-8''Liste%20%C3%84pfel%2042.txt`,
	} {
		if got.header.Get(name) != want {
			t.Errorf("%s: %s, want %s", name, got.header.Get(name), want)
		}
	}
	tag := got.header.Get("ETag")
	for name, c := range map[string]struct {
		call
		says, body string
	}{
		"all":              {content, "200", "0123456789"},
		"known":            {content.with("If-None-Match", tag), "304", ""},
		"expected":         {content.with("If-Match", tag), "200", "0123456789"},
		"expected another": {content.with("If-Match", `"x"`), "412 etag_mismatch", "*"},
		"a range":          {content.with("Range", "bytes=2-4"), "206", "234"},
		"the rest":         {content.with("Range", "bytes=4-").with("If-Range", tag), "206", "456789"},
		"of another file":  {content.with("Range", "bytes=4-").with("If-Range", `"x"`), "200", "0123456789"},
		"beyond":           {content.with("Range", "bytes=10-"), "416 range_not_satisfiable", "*"},
		"head":             {call{method: http.MethodHead, path: content.path}, "200", ""},
		"of a list":        {call{path: a.do(t, attach(path)).header.Get("Location") + "/content"}, "404 not_found", "*"},
		"of nothing":       {call{path: path + noDocument + "/content"}, "404 not_found", "*"},
		"of a stranger":    {content.with("X-Organization-ID", publicid.New("org")), "404 not_found", "*"},
	} {
		got := a.do(t, c.call)
		if said := got.says(t); said != c.says || c.body != "*" && string(got.body) != c.body ||
			got.status > 299 && got.header.Get("Content-Disposition") != "" && got.status != http.StatusNotModified {
			t.Errorf("%s: %s: %s", name, said, got.body)
		}
	}
	a.do(t, remove(res.header.Get("Location"))).wants(t, http.StatusNoContent, "")
	if n := a.left(t); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

// TestUnreadableFileFailsWithAReason, can be read again, and is deleted with its shipment, or the shipment rejected.
func TestUnreadableFileFailsWithAReason(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.works(t)
	path := collection + "/" + a.create(t)
	location := a.do(t, file(path, "packing_list", "n.csv", "unreadable\n")).header.Get("Location")
	a.until(t, path, "pending")
	a.do(t, call{path: location}).has(t, `"status":"failed"`,
		`"error":{"code":"no_header_row","detail":"There is no header row."}`)
	reprocess := post(location+"/reprocess", "").with("Idempotency-Key", "k")
	again := a.do(t, reprocess)
	if again.wants(t, http.StatusAccepted, ""); again.document(t).Document.Status != "queued" ||
		again.header.Get("Location") != location {
		t.Errorf("%s, %v", again.body, again.header)
	}
	if replayed := a.do(t, reprocess); replayed.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("done again: %s", replayed.body)
	}
	a.until(t, path, "pending")
	a.do(t, remove(path)).wants(t, http.StatusNoContent, "")
	if n := a.left(t); n != 0 {
		t.Errorf("%d files are left", n)
	}
	rejected := collection + "/" + a.create(t)
	a.do(t, file(rejected, "packing_list", "n.csv", "unreadable\n")).wants(t, http.StatusCreated, "")
	a.until(t, rejected, "pending")
	a.do(t, reject(rejected)).wants(t, http.StatusOK, "")
	a.do(t, remove(rejected)).conflict(t, "invalid_transition")
	list := a.do(t, attach(rejected)).header.Get("Location")
	a.do(t, post(list+"/reprocess", "")).conflict(t, "not_reprocessable")
}

// TestALostFileIsAttachedAgain as its remark and the missing content say: what was read of it stays until the document
// is deleted, and the same content is attached.
func TestALostFileIsAttachedAgain(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.works(t)
	path := collection + "/" + a.create(t)
	attach := file(path, "packing_list", "l.csv", "P-1\nP-2")
	document := a.do(t, attach).header.Get("Location")
	a.until(t, path, "ready_for_review")
	if err := os.Remove(filepath.Join(a.files, a.org, filepath.Base(document))); err != nil {
		t.Fatal(err)
	}
	a.do(t, call{path: document + "/content"}).wants(t, http.StatusNotFound, "not_found")
	a.do(t, post(document+"/reprocess", "")).wants(t, http.StatusAccepted, "")
	if left := a.until(t, path, "ready_for_review").shipment(t)["pallets"].([]any); len(left) != 2 {
		t.Errorf("%v", left)
	}
	a.do(t, call{path: document}).has(t, `"status":"processed"`, `"pallets_extracted":2`, `"code":"file_missing"`)
	a.do(t, remove(document)).wants(t, http.StatusNoContent, "")
	a.do(t, attach).wants(t, http.StatusCreated, "")
	if count := a.until(t, path, "ready_for_review").shipment(t)["pallets_count"]; count != 2.0 {
		t.Errorf("%v pallets", count)
	}
}

// TestPagesHaveTheseStatuses: a page is the same as long as the file is.
func TestPagesHaveTheseStatuses(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	location := a.do(t, file(path, "packing_list", "list.csv", "0123456789")).header.Get("Location")
	page := call{path: location + "/pages/1"}
	tag := a.do(t, page).header.Get("ETag")
	a.answers(t, map[string]status{
		"a page":           {page, "200", ""},
		"known":            {page.with("If-None-Match", tag), "304", ""},
		"expected another": {page.with("If-Match", `"x"`), "412 etag_mismatch", ""},
		"beyond":           {call{path: location + "/pages/2"}, "404 not_found", "no such page"},
		"none":             {call{path: location + "/pages/0"}, "404 not_found", "no such page"},
		"no number":        {call{path: location + "/pages/x"}, "404 not_found", "no such page"},
		"of a stranger":    {page.with("X-Organization-ID", publicid.New("org")), "404 not_found", ""},
		"of a list": {
			call{path: a.do(t, attach(path)).header.Get("Location") + "/pages/1"}, "404 not_found", "",
		},
	})
}
