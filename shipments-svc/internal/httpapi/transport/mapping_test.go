package transport_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
)

const (
	templatesPath = "/api/v1/mapping_templates"
	noTemplate    = templatesPath + "/mt_00000000000000000000000000"
)

func correct(document, body string) call {
	return call{method: http.MethodPut, path: document + "/mapping", body: body}
}

// has reports what of these an answer lacks.
func (r answer) has(t *testing.T, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !bytes.Contains(r.body, []byte(want)) {
			t.Errorf("%s is not in %s", want, r.body)
		}
	}
}

// TestAMappingIsCorrectedOnce: a list that could be read in several ways shows these,
// is read as a person says, and the next one with its headings is read by the template.
func TestAMappingIsCorrectedOnce(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.works(t)
	path := collection + "/" + a.create(t)
	document := a.do(t, file(path, "packing_list", "l.csv", "ambiguous\nP-1")).header.Get("Location")
	shown := a.until(t, path, "pending")
	if bytes.Contains(shown.body, []byte(`"mappings"`)) {
		t.Errorf("the shipment has mappings: %s", shown.body)
	}
	a.do(t, call{path: document}).has(t, `"code":"ambiguous_mapping"`, `"candidates":[{"columns":[{"column":"B"}]`)

	const given = `{"mappings":[{"sheet":"PL","columns":[{"column":"B","field":"boxes"}]}],"save_as":"Hass"}`
	res := a.do(t, correct(document, given))
	if res.wants(t, http.StatusAccepted, ""); res.header.Get("Location") != document {
		t.Errorf("Location %s", res.header.Get("Location"))
	}
	res.has(t, `"status":"queued"`)
	a.until(t, path, "ready_for_review")
	a.do(t, call{path: document}).has(t, `"status":"processed"`, `"source":"person"`)
	again := correct(document, given)
	a.do(t, again).has(t, `"status":"processed"`, `"mappings"`)
	again.permissions = new("documents:write")
	if res := a.do(t, again); bytes.Contains(res.body, []byte(`"mappings"`)) {
		t.Errorf("a token that may not read documents sees %s", res.body)
	}
	var actions []string
	for _, entry := range a.history(t, path).History {
		actions = append(actions, entry.Action)
	}
	if got := strings.Join(actions[:2], " "); got != "process_document correct_mapping" {
		t.Errorf("the history is %s", got)
	}

	templates := a.do(t, call{path: templatesPath})
	templates.has(t, `"name":"Hass","fingerprint":"5c1f","columns":[{"column":"B","field":"boxes"},`+
		`{"column":"A","field":"pallet_number"},{"column":"C","field":"net_weight","unit":"kg"}]`)
	other := collection + "/" + a.create(t)
	document = a.do(t, file(other, "packing_list", "m.csv", "ambiguous\nP-2")).header.Get("Location")
	a.until(t, other, "ready_for_review")
	a.do(t, call{path: document}).has(t, `"source":"template","template":"Hass"`)
	dry := form(other, part{name: "type", value: "packing_list"}, part{name: "dry_run", value: "true"},
		part{name: "file", filename: "n.csv", value: "ambiguous\nP-3"})
	a.do(t, dry).has(t, `"status":"processed"`, `"source":"template"`)

	var kept struct {
		Templates []struct{ ID string } `json:"mapping_templates"`
	}
	if err := json.Unmarshal(templates.body, &kept); err != nil {
		t.Fatal(err)
	}
	one := templatesPath + "/" + kept.Templates[0].ID
	first := a.do(t, call{path: one})
	first.has(t, `{"mapping_template":{"id":"`+kept.Templates[0].ID+`","name":"Hass"`)
	a.do(t, call{method: http.MethodPatch, path: one, body: `{"mapping_template":{"name":"Hass 2027"}}`}).
		has(t, `"name":"Hass 2027","fingerprint":"5c1f","columns":[{"column":"B"`)
	for _, c := range []call{remove(one), {method: http.MethodPatch, path: one, body: `{"mapping_template":{}}`}} {
		a.do(t, c.with("If-Match", first.header.Get("ETag"))).wants(t, http.StatusPreconditionFailed, "etag_mismatch")
	}
	theirs := a.as(publicid.New("org"))
	theirs.do(t, call{path: templatesPath}).has(t, `"mapping_templates":[]`)
	for _, method := range []string{http.MethodDelete, http.MethodPatch} {
		theirs.do(t, call{method: method, path: one, body: `{"mapping_template":{}}`}).
			wants(t, http.StatusNotFound, "not_found")
	}
	a.do(t, remove(one).with("If-Match", a.do(t, call{path: one}).header.Get("ETag"))).wants(t, http.StatusNoContent, "")
	a.do(t, call{path: templatesPath}).has(t, `"mapping_templates":[]`)
}

func TestMappingsAreValidated(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.works(t)
	path := collection + "/" + a.create(t)
	document := a.do(t, file(path, "packing_list", "l.csv", "P-1")).header.Get("Location")
	a.until(t, path, "ready_for_review")
	const invalid = "422 validation_failed, "
	of := func(mapping string) call { return correct(document, `{"mappings":[{`+mapping+`}]}`) }
	columns := func(rest string) call { return of(`"columns":[{"column":` + rest) }
	a.answers(t, map[string]status{
		"none": {correct(document, `{}`), invalid + "required /mappings", ""},
		"no letters, and twice": {
			columns(`"1"},{"column":"B"},{"column":"B"}]`),
			invalid + "invalid_value /mappings/0/columns/0/column, invalid_value /mappings/0/columns/2/column", "",
		},
		"unknown values": {
			columns(`"A","field":"vessel","unit":"stone"}],"number_style":"1"`), invalid + "invalid_value " +
				"/mappings/0/columns/0/field, invalid_value /mappings/0/columns/0/unit, invalid_value /mappings/0/number_style", "",
		},
		"a field twice, with a unit": {
			columns(`"A","field":"lot"},{"column":"B","field":"lot","unit":"kg"}]`),
			invalid + "invalid_value /mappings/0/columns/1/field, invalid_value /mappings/0/columns/1/unit", "",
		},
		"no such column": {columns(`"ZZ","field":"lot"}]`), invalid + "invalid_value /mappings/0/columns/0/column", ""},
		"no such sheet":  {of(`"sheet":"Sheet 7"`), invalid + "invalid_value /mappings/0/sheet", ""},
		"a control":      {of(`"sheet":"a\u0000b"`), invalid + "invalid_text /mappings/0/sheet", ""},
		"a long sheet": {
			of(`"sheet":"` + strings.Repeat("x", 200<<10) + `"`), "422 validation_failed, too_long /mappings/0/sheet", "",
		},
		"a template of none": {correct(document, `{"mappings":[],"save_as":"x"}`), invalid + "invalid_value /save_as", ""},
		"a blank template":   {correct(document, `{"mappings":[{}],"save_as":" "}`), invalid + "required /save_as", ""},
		"a template of no table": {
			correct(document, `{"mappings":[{"sheet":"Sheet 7"}],"save_as":"Hass"}`),
			invalid + "invalid_value /mappings/0/sheet, invalid_value /save_as", "",
		},
	})
	other := a.do(t, file(path, "other", "n.txt", "x")).header.Get("Location")
	a.do(t, correct(other, `{"mappings":[]}`)).conflict(t, "not_reprocessable")
	a.as(publicid.New("org")).do(t, correct(document, `{"mappings":[]}`)).wants(t, http.StatusNotFound, "not_found")
}
