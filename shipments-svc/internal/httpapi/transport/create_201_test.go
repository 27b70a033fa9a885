package transport_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestCreateReturnsTheFieldsAndALocation(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	before := time.Now().Truncate(time.Millisecond)
	res := a.do(t, call{method: http.MethodPost, body: valid})
	res.wants(t, http.StatusCreated, "")
	var created struct{ Shipment map[string]string }
	decode(t, res.body, &created)
	s := created.Shipment
	if len(s) != 5 || s["reference"] != "PO-1" || s["status"] != "pending" || s["updated_at"] != s["created_at"] {
		t.Errorf("%s", res.body)
	}
	at, err := time.Parse("2006-01-02T15:04:05.000Z", s["created_at"])
	if err != nil || at.Before(before) || at.After(time.Now()) {
		t.Errorf("created_at %s (%v)", s["created_at"], err)
	}
	if location := res.header.Get("Location"); location != collection+"/"+s["id"] {
		t.Errorf("Location is %s, id is %s", location, s["id"])
	}

	tag := res.header.Get("ETag")
	res = a.do(t, call{path: res.header.Get("Location")})
	if res.wants(t, http.StatusOK, ""); tag == "" || res.header.Get("ETag") != tag {
		t.Errorf("ETag %q, then %q", tag, res.header.Get("ETag"))
	}
	var got struct{ Shipment map[string]any }
	decode(t, res.body, &got)
	for name, want := range map[string]any{
		"id": s["id"], "created_at": s["created_at"], "vessel": "MSC Carmen", "origin": "Valparaíso",
		"destination": "Rotterdam", "pallets_count": 0.0, "status": "pending",
	} {
		if got.Shipment[name] != want {
			t.Errorf("%s is %v, want %v", name, got.Shipment[name], want)
		}
	}
	if ids := a.list(t, "").ids(); len(ids) != 1 || ids[0] != s["id"] {
		t.Errorf("the list has %v", ids)
	}
}

func TestCreateAcceptsEveryTextThatIsAllowed(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for name, c := range map[string]struct{ given, want string }{
		"100 code points of 4 bytes":    {strings.Repeat("🍊", 100), strings.Repeat("🍊", 100)},
		"space around it is not kept":   {`  PO 1\n\t`, "PO 1"},
		"escapes":                       {`\u0050O \ud83c\udf4a \"\\\/`, `PO 🍊 "\/`},
		"decomposed becomes composed":   {"Valparai\u0301so", "Valparaíso"},
		"100 after composition":         {strings.Repeat("e\u0301", 100), strings.Repeat("é", 100)},
		"markup and SQL are only text":  {`<b>'; DROP TABLE shipments; --`, `<b>'; DROP TABLE shipments; --`},
		"right to left and joined ones": {"شحنة 👩‍🌾", "شحنة 👩‍🌾"},
	} {
		res := a.do(t, call{method: http.MethodPost, body: strings.Replace(valid, "PO-1", c.given, 1)})
		res.wants(t, http.StatusCreated, "")
		var created struct{ Shipment map[string]string }
		decode(t, res.body, &created)
		if got := created.Shipment["reference"]; got != c.want {
			t.Errorf("%s: reference is %q, want %q", name, got, c.want)
		}
	}
	longest := `{"shipment":{"reference":"` + strings.Repeat("r", 100) + `","vessel":"` + strings.Repeat("v", 100) +
		`","origin":"` + strings.Repeat("o", 200) + `","destination":"` + strings.Repeat("d", 200) + `"}}`
	a.do(t, call{method: http.MethodPost, body: longest}).wants(t, http.StatusCreated, "")
	a.do(t, call{method: http.MethodPost, body: valid}).wants(t, http.StatusCreated, "")
	a.do(t, call{method: http.MethodPost, body: valid}).wants(t, http.StatusCreated, "") // a reference need not be unique
}

func TestCreateAcceptsEverySpellingOfItsMediaType(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for _, contentType := range []string{
		"application/json", "Application/JSON", "application/json; charset=utf-8", `application/json;charset="UTF-8"`,
	} {
		a.do(t, call{method: http.MethodPost, body: valid, header: http.Header{"Content-Type": {contentType}}}).
			wants(t, http.StatusCreated, "")
	}
	a.do(t, call{method: http.MethodPost, body: valid + strings.Repeat(" ", 1<<20-len(valid))}).
		wants(t, http.StatusCreated, "")
}

// TestLocationIsCanonical: however a client writes the path of a request, the
// product writes paths in one way.
func TestLocationIsCanonical(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	body := `{"shipment":{"reference":"PO-1","vessel":"MSC Anna","origin":"Callao","destination":"Rotterdam"}}`
	res := a.do(t, call{method: http.MethodPost, path: "/api/v1/%73hip%6Dents", body: body})
	res.wants(t, http.StatusCreated, "")
	location := res.header.Get("Location")
	if !strings.HasPrefix(location, collection+"/ship_") {
		t.Errorf("Location %q", location)
	}
	res = a.do(t, attach(strings.Replace(location, "ship_", "ship%5F", 1)))
	res.wants(t, http.StatusCreated, "")
	if got := res.header.Get("Location"); !strings.HasPrefix(got, location+"/documents/") {
		t.Errorf("Location %q", got)
	}
	res = a.do(t, call{path: "/api/v1/%73hipments"})
	if link := res.header.Get("Link"); !strings.Contains(link, "<"+collection+"?") {
		t.Errorf("Link %q", link)
	}
}
