package transport_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

const list = `{"document":{"type":"packing_list","pallets":[` +
	`{"pallet_number":"0041","produce_name":"Avocado Hass","calibre":"18","boxes":264,"box_weight_kg":4.125},` +
	`{"pallet_number":"0042","produce_name":"Avocado Hass","calibre":"20","boxes":2.64e2,"box_weight_kg":4}]` +
	`,"declared":{"pallets":2,"boxes":528,"net_weight_kg":2145.5,"container_number":"CSQU 305438-3"}}}`

func attach(path string) call {
	return call{method: http.MethodPost, path: path + "/documents", body: list}
}

// attached is what an answer shows of a document.
type attached struct {
	Document struct {
		ID, Type, Status, SHA256 string
		RowsRead                 int    `json:"rows_read"`
		PalletsExtracted         int    `json:"pallets_extracted"`
		CreatedAt                string `json:"created_at"`
		ProcessedAt              string `json:"processed_at"`
		Declared                 map[string]any
	}
	Checks []checkShown
}

type checkShown struct {
	Name, Result, Details string
	Count                 int
	Locations             []struct {
		PalletNumber string `json:"pallet_number"`
		DocumentID   string `json:"document_id"`
		Row          int
	}
}

func checkOf(tb testing.TB, checks []checkShown, name string) checkShown {
	tb.Helper()
	i := slices.IndexFunc(checks, func(c checkShown) bool { return c.Name == name })
	if i < 0 {
		tb.Fatalf("there is no check %s in %+v", name, checks)
	}
	return checks[i]
}

// TestAPackingListMakesAShipmentReadyForReview, from the document through its
// pallets and the checks to the approval.
func TestAPackingListMakesAShipmentReadyForReview(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	res := a.do(t, attach(path))
	res.wants(t, http.StatusCreated, "")
	var got attached
	decode(t, res.body, &got)
	doc := got.Document
	if res.header.Get("Location") != path+"/documents/"+doc.ID || doc.Type != "packing_list" ||
		doc.Status != "processed" ||
		doc.RowsRead != 2 ||
		doc.PalletsExtracted != 2 ||
		fmt.Sprint(doc.Declared) != "map[boxes:528 container_number:CSQU 305438-3 net_weight_kg:2145.5 pallets:2]" {
		t.Errorf("%s, Location %s", res.body, res.header.Get("Location"))
	}
	for name, want := range map[string]string{
		"pallet_count_declared": "pass 2 pallets declared, 2 pallets listed.",
		"container_number":      "pass CSQU3054383: check digit is correct.",
		"calibre_known":         "pass 2 of 2 pallets compared with the calibres of their produce.",
		"sscc_check_digit":      "skip No pallet has an SSCC (18 digits).",
	} {
		if c := checkOf(t, got.Checks, name); !strings.HasPrefix(c.Result+" "+c.Details, want) {
			t.Errorf("%s: %s %s, want %s", name, c.Result, c.Details, want)
		}
	}

	shown := a.do(t, call{path: path})
	s := shown.shipment(t)
	if s["status"] != "ready_for_review" || s["pallets_count"] != 2.0 || shown.header.Get("ETag") != `"3.2"` ||
		len(s["checks"].([]any)) != len(got.Checks) {
		t.Errorf("%s", shown.body)
	}
	want := `{"pallet_number":"0042","produce_name":"Avocado ` +
		`Hass","calibre":"20","boxes":264,"box_weight_kg":4,"document_id":"` + doc.ID + `","row":2}`
	if !strings.Contains(string(shown.body), want) {
		t.Errorf("%s is not in %s", want, shown.body)
	}
	if h := a.history(t, path).History[0]; h.Action != "attach_document" || h.DocumentID != doc.ID ||
		h.Status != "ready_for_review" {
		t.Errorf("%+v", h)
	}
	one, all := a.do(t, call{path: res.header.Get("Location")}), a.do(t, call{path: path + "/documents"})
	fromOne, fromAll := memberOf(t, one.body, "document"), memberOf(t, all.body, "documents")
	if fromOne != memberOf(t, res.body, "document") || fromAll != "["+fromOne+"]" {
		t.Errorf("%s and %s", one.body, all.body)
	}
	if n := a.list(t, "?status=ready_for_review&check_result=pass").Meta.Total; n != 1 {
		t.Errorf("%d are listed", n)
	}
	a.do(t, approve(path)).wants(t, http.StatusOK, "")
	a.do(t, attach(path)).conflict(t, "invalid_transition")
	a.do(t, remove(res.header.Get("Location"))).conflict(t, "invalid_transition")
}

// memberOf returns a member of an object as text.
func memberOf(tb testing.TB, text []byte, member string) string {
	tb.Helper()
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		tb.Fatal(err)
	}
	return string(object[member])
}

func TestChecksNameTheLocationOfEachFault(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	var got attached
	res := a.do(
		t, call{method: http.MethodPost, path: path + "/documents", body: strings.Replace(list, "0041", "0042", 1)},
	)
	decode(t, res.body, &got)
	c := checkOf(t, got.Checks, "duplicate_pallets")
	if c.Result != "fail" || c.Details != "Pallet 0042 appears on rows 1 and 2." || c.Count != 2 ||
		len(c.Locations) != 2 ||
		c.Locations[1].Row != 2 ||
		c.Locations[1].PalletNumber != "0042" ||
		c.Locations[1].DocumentID != got.Document.ID {
		t.Errorf("%+v", c)
	}
	if p := a.do(t, approve(path)).conflict(t, "checks_failing"); !slices.Equal(p.Failing, []string{"duplicate_pallets"}) {
		t.Errorf("%+v", p)
	}
	if n := a.list(t, "?check_result=fail").Meta.Total; n != 1 {
		t.Errorf("%d are listed", n)
	}
	// Once it is mended the shipment can go.
	a.do(t, reject(path)).wants(t, http.StatusOK, "")
	a.do(t, remove(res.header.Get("Location"))).wants(t, http.StatusNoContent, "")
	if s := a.do(t, call{path: path}).shipment(t); s["status"] != "pending" || s["pallets_count"] != 0.0 ||
		len(s["checks"].([]any)) != 0 ||
		len(s["documents"].([]any)) != 0 {
		t.Errorf("%v", s)
	}
	a.do(t, attach(path)).wants(t, http.StatusCreated, "")
	a.do(t, approve(path)).wants(t, http.StatusOK, "")
}

func TestTheSameContentIsRefusedOnce(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	first := a.do(t, attach(path))
	first.wants(t, http.StatusCreated, "")
	again := attach(path)
	again.body = strings.ReplaceAll(again.body, ",", " ,\n")
	if p := a.do(t, again).conflict(t, "duplicate_document"); !strings.HasSuffix(
		first.header.Get("Location"), "/"+p.DocumentID,
	) {
		t.Errorf("%+v, the first is %s", p, first.header.Get("Location"))
	}
	other := attach(path)
	other.body = strings.Replace(list, "0041", "0043", 1)
	a.do(t, other).wants(t, http.StatusCreated, "")
	s := a.do(t, call{path: path}).shipment(t)
	if len(s["documents"].([]any)) != 2 || s["pallets_count"] != 4.0 {
		t.Errorf("%v", s)
	}
	a.do(t, attach(collection+"/"+a.create(t))).wants(t, http.StatusCreated, "") // of another shipment
}

func TestDocumentsOfOthersAndUnknownOnesAreNotFound(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path, other := collection+"/"+a.create(t), collection+"/"+a.create(t)
	location := a.do(t, attach(path)).header.Get("Location")
	name := strings.TrimPrefix(location, path)
	for _, c := range []call{
		{path: other + name},
		remove(other + name),
		{path: path + "/documents/doc_x"},
		remove(path + "/documents/doc_00000000000000000000000000"),
	} {
		if p := a.do(t, c).wants(t, http.StatusNotFound, "not_found"); p.Detail != "The shipment has no such document." {
			t.Errorf("%s: %s", c.path, p.Detail)
		}
	}
	stranger := a.as("org_00000000000000000000000001")
	for _, c := range []call{
		{path: location},
		{path: path + "/documents"},
		remove(location), attach(path),
		{path: nothing + "/documents"},
	} {
		if p := stranger.do(t, c).wants(t, http.StatusNotFound, "not_found"); p.Detail != "There is no such shipment." {
			t.Errorf("%s: %s", c.path, p.Detail)
		}
	}
}

func TestAttachFaultsHavePointers(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t) + "/documents"
	const plum = `{"pallet_number":"P","produce_name":"Plum","calibre":"A","boxes":1,"box_weight_kg":1}`
	for body, want := range map[string]string{
		`{}`:              "required /document",
		`{"document":{}}`: "required /document/type, required /document/pallets",
		`{"document":{"type":"poem","pallets":[` + plum +
			`]}}`: "invalid_value /document/type",
		`{"document":{"type":"packing_list","pallets":[]}}`: "required /document/pallets",
		`{"document":{"type":"other","filename":"a.txt","content_base64":"YQ==","pallets":[],"declared":{}}}`: "" +
			"invalid_value /document/pallets, invalid_value /document/declared",
		`{"document":{"type":"packing_list","pallets":{}}}`: "invalid_type /document/pallets",
		`{"document":{"type":"packing_list","pallets":[` + plum +
			`,{"palet_number":"x"}]}}`: "unknown_field /document/pallets/1/palet_number, required " +
			"/document/pallets/1/pallet_number, required /document/pallets/1/produce_name, required " +
			"/document/pallets/1/calibre, out_of_range /document/pallets/1/boxes, out_of_range " +
			"/document/pallets/1/box_weight_kg",
		`{"document":{"type":"packing_list","pallets":[` + plum +
			`],"declared":{"boxes":1e30}}}`: "out_of_range /document/declared/boxes",
		`{"document":{"type":"packing_list","pallets":[` + plum +
			`],"declared":{"boxes":-1}}}`: "out_of_range /document/declared/boxes",
		`{"document":{"type":"packing_list","pallets":[` + plum +
			`],"declared":null}}`: "invalid_type /document/declared",
		`{"document":{"type":"packing_list","pallets":[` + plum +
			`]},"dry_run":"yes"}`: "invalid_type /dry_run",
	} {
		res := a.do(t, call{method: http.MethodPost, path: path, body: body})
		p := res.wants(t, http.StatusUnprocessableEntity, "validation_failed")
		var got []string
		for _, f := range p.Errors {
			got = append(got, f.Code+" "+f.Pointer)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s:\ngot  %s\nwant %s", body, strings.Join(got, ", "), want)
		}
	}
	a.do(t, call{method: http.MethodPost, path: path + "?dry_run=true", body: list}).wants(t,
		http.StatusBadRequest, "unknown_parameter")
	writer := call{method: http.MethodPost, path: path, body: list}.with("X-Token-Permissions", "documents:write")
	if res := a.do(t, writer); res.status != http.StatusCreated || len(res.document(t).Checks) != 0 {
		t.Errorf("a token that may not read shipments: %d %s", res.status, res.body)
	}
	tooMany := `{"document":{"type":"packing_list","pallets":[` + strings.TrimSuffix(
		strings.Repeat(plum+",", 10_001), ",",
	) + `]}}`
	a.do(t, call{method: http.MethodPost, path: path, body: tooMany}).
		wants(t, http.StatusUnprocessableEntity, "too_many_pallets")
	a.do(t, call{method: http.MethodPost, path: path, body: list + strings.Repeat(" ", 14<<20)}).
		wants(t, http.StatusRequestEntityTooLarge, "body_too_large")
}
