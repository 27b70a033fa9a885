package transport_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestCreateReturnsTheFieldsAndALocation(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	before := time.Now().Truncate(time.Millisecond)
	res := a.do(t, post(collection, valid))
	res.wants(t, http.StatusCreated, "")
	var created struct{ Shipment map[string]string }
	decode(t, res.body, &created)
	s := created.Shipment
	at, err := time.Parse("2006-01-02T15:04:05.000Z", s["created_at"])
	if len(s) != 5 || s["reference"] != "PO-1" || s["status"] != "pending" || s["updated_at"] != s["created_at"] ||
		err != nil || at.Before(before) || at.After(time.Now()) || res.header.Get("Location") != collection+"/"+s["id"] {
		t.Errorf("%s, %v", res.body, res.header)
	}
	tag := res.header.Get("ETag")
	res = a.do(t, call{path: res.header.Get("Location")})
	if tag == "" || res.header.Get("ETag") != tag {
		t.Errorf("ETag %q, then %q", tag, res.header.Get("ETag"))
	}
	got := res.shipment(t)
	for name, want := range map[string]any{
		"id": s["id"], "created_at": s["created_at"], "vessel": "MSC Carmen", "origin": "Valparaíso",
		"destination": "Rotterdam", "pallets_count": 0.0, "status": "pending",
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if ids := a.list(t, "").ids(); len(ids) != 1 || ids[0] != s["id"] {
		t.Errorf("the list has %v", ids)
	}
}

func TestCreateAcceptsEveryTextThatIsAllowed(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for given, want := range map[string]string{
		strings.Repeat("🍊", 100):         strings.Repeat("🍊", 100),
		`  PO 1\n\t`:                     "PO 1",
		`\u0050O \ud83c\udf4a \"\\\/`:    `PO 🍊 "\/`,
		strings.Repeat("e\u0301", 100):   strings.Repeat("é", 100), // 100 after composition
		`<b>'; DROP TABLE shipments; --`: `<b>'; DROP TABLE shipments; --`,
		"شحنة 👩‍🌾":                       "شحنة 👩‍🌾", // right to left and joined
		"PO-1":                           "PO-1",     // it need not be unique
	} {
		res := a.do(t, post(collection, strings.Replace(valid, "PO-1", given, 1)))
		res.wants(t, http.StatusCreated, "")
		var created struct{ Shipment map[string]string }
		decode(t, res.body, &created)
		if got := created.Shipment["reference"]; got != want {
			t.Errorf("%s: reference is %q, want %q", given, got, want)
		}
	}
}

// TestLocationIsCanonical: however a client writes the path of a request, the
// product writes paths in one way.
func TestLocationIsCanonical(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	res := a.do(t, post("/api/v1/%73hip%6Dents", valid))
	location := res.header.Get("Location")
	if !strings.HasPrefix(location, collection+"/ship_") {
		t.Errorf("Location %q", location)
	}
	res = a.do(t, attach(strings.Replace(location, "ship_", "ship%5F", 1)))
	if got := res.header.Get("Location"); !strings.HasPrefix(got, location+"/documents/") {
		t.Errorf("Location %q", got)
	}
	res = a.do(t, call{path: "/api/v1/%73hipments"})
	if link := res.header.Get("Link"); !strings.Contains(link, "<"+collection+"?") {
		t.Errorf("Link %q", link)
	}
}

// TestCreateHasTheseStatuses, and what is refused stores nothing.
func TestCreateHasTheseStatuses(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	const mebibyte = 1 << 20
	space := func(n int) call { return post(collection, valid+strings.Repeat(" ", n-len(valid))) }
	media := func(contentType ...string) call {
		return call{method: http.MethodPost, body: valid, header: http.Header{"Content-Type": contentType}}
	}
	const invalid, malformed, large = "422 validation_failed, ", "400 malformed_json", "413 body_too_large"
	const unsupported = "415 unsupported_media_type"
	var all []string
	for _, text := range shipments.TextFields {
		all = append(all, text.Name)
	}
	a.answers(t, map[string]status{
		"longest texts": {post(collection, `{"shipment":{"reference":"`+strings.Repeat("r", 100)+`","vessel":"`+
			strings.Repeat("v", 100)+`","origin":"`+strings.Repeat("o", 200)+`","destination":"`+strings.Repeat("d", 200)+
			`"}}`), "201", ""},
		"1 MiB": {space(mebibyte), "201", ""}, "a byte more": {space(mebibyte + 1), large, "at most 1048576 bytes."},
		"more, malformed": {post(collection, strings.Repeat("x", mebibyte+1)), large, ""},

		"upper case": {media("Application/JSON"), "201", ""}, "UTF-8": {media(`application/json;charset="UTF-8"`), "201", ""},
		"no type": {media(), unsupported, ""}, "an empty type": {media(""), unsupported, ""},
		"a relative":      {media("application/merge-patch+json"), unsupported, ""},
		"a malformed one": {media("application/json; charset"), unsupported, ""},
		"another charset": {media("application/json; charset=iso-8859-1"), unsupported, ""},
		"two types":       {media("application/json", "application/json"), unsupported, ""},
		"a list of types": {media("application/json, text/plain"), unsupported, ""},
		"compressed":      {media("application/json").with("Content-Encoding", "gzip"), unsupported, ""},

		"nothing as JSON": {
			call{method: http.MethodPost, header: http.Header{"Content-Type": {"application/json"}}},
			malformed, "The body is not JSON: it ends early, at offset 0.",
		},
		"cut short":          {post(collection, `{"shipment":`), malformed, "at offset 12."},
		"something after it": {post(collection, valid+`{}`), malformed, fmt.Sprintf("at offset %d.", len(valid)+1)},
		"a byte order mark":  {post(collection, "\ufeff"+valid), malformed, "at offset 1."},
		"not UTF-8":          {post(collection, "{\"a\":\"\xff\"}"), malformed, "invalid UTF-8, at offset 7."},
		"half a pair":        {post(collection, `{"shipment":"\ud83c"}`), malformed, "at offset 14."},
		"a raw line break":   {post(collection, "{\"a\":\"\n\"}"), malformed, "at offset 7."},
		"a member twice":     {post(collection, `{"a":{},"\u0061":{}}`), malformed, `\"a\" is given twice, at offset 9.`},
		"nested":             {post(collection, strings.Repeat("[", 20000)), malformed, "32 levels deep, at offset 33."},
		"no shipment":        {post(collection, `{}`), invalid + "required /shipment", "shipment is required"},
		"not an object":      {post(collection, `[]`), invalid + "invalid_type ", "the body must be an object, not an array"},
		"a null":             {post(collection, `null`), invalid + "invalid_type ", "the body must be an object, not null"},
		"a shipment of a null": {
			post(collection, `{"shipment":null}`), invalid + "invalid_type /shipment", "shipment must be an object, not null",
		},
		"an empty shipment": {
			post(collection, `{"shipment":{}}`), invalid + "required /shipment/reference, required /shipment/vessel, " +
				"required /shipment/origin, required /shipment/destination", "reference is required",
		},
		"other types": {
			post(collection, `{"shipment":{"reference":1,"vessel":null,"origin":["o"],"destination":{"d":1}}}`),
			invalid + "invalid_type /shipment/reference, invalid_type /shipment/vessel, invalid_type /shipment/origin, " +
				"invalid_type /shipment/destination", "reference must be a string, not a number",
		},
		"a member beside it": {
			post(collection, `{"shipments":{}}`), invalid + "required /shipment, unknown_field /shipments",
			`did you mean \"shipment\"?`,
		},
		"misspelt members": {
			post(collection, `{"shipment":{"Reference":"r","vesel":"v","origin":"o","destination":"d"}}`), invalid +
				"unknown_field /shipment/Reference, unknown_field /shipment/vesel, required /shipment/reference, " +
				"required /shipment/vessel", `there is no member \"vesel\"; did you mean \"vessel\"?`,
		},
		// Where nothing else is wrong, the code says so.
		"an unknown member": {
			post(collection, strings.Replace(valid, `"reference"`, `"a/b~c":1,"reference"`, 1)),
			"422 unknown_field, unknown_field /shipment/a~1b~0c", `there is ` + strings.Join(all, ", "),
		},
	})
	if n := a.total(t); n != 4 {
		t.Errorf("%d shipments were stored, want 4", n)
	}
}

// TestCreateReportsAtMostFiftyFaults, so that an answer is never much larger
// than what was sent deserves.
func TestCreateReportsAtMostFiftyFaults(t *testing.T) {
	t.Parallel()
	var members strings.Builder
	for i := range 500 {
		fmt.Fprintf(&members, `"member%d":0,`, i)
	}
	body := strings.Replace(valid, `"reference"`, members.String()+`"reference"`, 1)
	p := newAPI(t).do(t, post(collection, body)).problem(t, http.StatusUnprocessableEntity, "unknown_field")
	if len(p.Errors) != 50 || p.Detail != "50 fields are not valid; see errors." {
		t.Errorf("%d faults: %s", len(p.Errors), p.Detail)
	}
}
