package transport_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestCreateRejectsInvalidJSONWithItsOffset(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for name, c := range map[string]struct{ body, detail string }{
		"a space":            {" ", "at offset 1"},
		"cut short":          {`{"shipment":`, "at offset 12"},
		"a trailing comma":   {`{"shipment":{},}`, "at offset 15"},
		"something after it": {valid + `{}`, fmt.Sprint("at offset ", len(valid)+1)},
		"a word":             {`shipment`, "at offset 1"},
		"a byte order mark":  {"\ufeff" + valid, "at offset 1"},
		"not UTF-8":          {"{\"shipment\":\"\xff\"}", "The body is not JSON: invalid UTF-8, at offset 14"},
		"half a pair":        {`{"shipment":"\ud83c"}`, "at offset 14"},
		"a raw line break":   {"{\"a\":\"\n\"}", "at offset 7"},
		"a member twice":     {`{"shipment":{"vessel":"a","vessel":"b"}}`, `he member "vessel" is given twice, at offset 27`},
		"twice, if escaped":  {`{"shipment":{},"\u0073hipment":{}}`, `he member "shipment" is given twice, at offset 16`},
		"very deep":          {strings.Repeat("[", 20000), "nested more than 32 levels deep, at offset 33"},
	} {
		p := a.do(t, call{method: http.MethodPost, body: c.body}).wants(t, http.StatusBadRequest, "malformed_json")
		if !strings.HasSuffix(p.Detail, c.detail+".") {
			t.Errorf("%s: %s, want …%s", name, p.Detail, c.detail)
		}
	}
	empty := call{method: http.MethodPost, header: http.Header{"Content-Type": {"application/json"}}}
	if p := a.do(t, empty).wants(t, http.StatusBadRequest, "malformed_json"); p.Detail != "The body is not JSON: it ends "+
		"early, at offset 0." {
		t.Errorf("an empty body: %s", p.Detail)
	}
	if n := a.total(t); n != 0 {
		t.Errorf("%d shipments were stored", n)
	}
}
