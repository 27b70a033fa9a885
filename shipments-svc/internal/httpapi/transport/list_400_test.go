package transport_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestListRefusesParametersAndSaysWhatIsAllowed(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	const pageRange = "page must be a whole number from 1 to 9223372036854775807"
	const perPageRange = "per_page must be a whole number from 1 to 9223372036854775807; more than 100 counts as 100"
	known := "there is page, per_page, status, "
	for _, text := range shipments.FilteredTexts {
		known += text.Name + ", "
	}
	known += "q, check_result, created_after, created_before, updated_after"
	const referenceIs = "reference must be valid UTF-8 of 1 to 100 characters, not all blank, without control " +
		"characters and characters that change the direction of text"
	const resultIs = "check_result must be one of pass, warn, fail, skip"
	const timeIs = " must be an RFC 3339 time such as 2026-11-20T14:03:52.123Z or 2026-11-20T16:03:52%2B02:00, where " +
		"%2B is a +"
	invalid := func(name, detail string) problem.Field {
		return problem.Field{Code: "invalid_parameter", Parameter: name, Detail: detail}
	}
	unknown := func(name, detail string) problem.Field {
		return problem.Field{Code: "unknown_parameter", Parameter: name, Detail: detail}
	}
	for query, want := range map[string][]problem.Field{
		"?page=0":                   {invalid("page", pageRange)},
		"?page=1e3":                 {invalid("page", pageRange)},
		"?page=%EF%BC%91":           {invalid("page", pageRange)},
		"?page=9223372036854775808": {invalid("page", pageRange)},
		"?per_page=0":               {invalid("per_page", perPageRange)},
		"?per_page=ten":             {invalid("per_page", perPageRange)},
		"?status=lost": {invalid("status",
			"status must be one of pending, processing, ready_for_review, approved, rejected")},
		"?status=Pending": {invalid("status",
			"status must be one of pending, processing, ready_for_review, approved, rejected")},
		"?page=1&page=1":   {invalid("page", "page is given 2 times; give it once")},
		"?status=&status=": {invalid("status", "status is given 2 times; give it once")},
		"?pge=1":           {unknown("pge", `there is no parameter "pge"; did you mean "page"?`)},
		"?pallets=x":       {unknown("pallets", `there is no parameter "pallets"; `+known)},
		"?=x":              {unknown("", `there is no parameter ""; `+known)},
		"?reference=" + strings.Repeat("%C3%A9", 101): {invalid("reference", referenceIs)},
		"?reference=a%0Ab":                            {invalid("reference", referenceIs)},
		"?q=abc%07":                                   {invalid("q", strings.Replace(referenceIs, "reference", "q", 1))},
		"?reference=%FF":                              {invalid("reference", referenceIs)},
		"?reference=+%E2%80%8B":                       {invalid("reference", referenceIs)},
		"?check_result=passed":                        {invalid("check_result", resultIs)},
		"?created_after=2026-11-20":                   {invalid("created_after", "created_after"+timeIs)},
		"?created_after=2026-11-20T14:03:52,5Z":       {invalid("created_after", "created_after"+timeIs)},
		"?created_before=2026-11-20T14:03:52+02:00":   {invalid("created_before", "created_before"+timeIs)},
		"?created_before=2026-02-30T14:03:52Z":        {invalid("created_before", "created_before"+timeIs)},
		"?created_before=2026-11-20T14:03:52%2B24:00": {invalid("created_before", "created_before"+timeIs)},
		"?createdAfter=x": {unknown("createdAfter",
			`there is no parameter "createdAfter"; did you mean "created_after"?`)},
		"?created_before=x&created_after=y&check_result=z&reference=%7F": {
			invalid("reference", referenceIs),
			invalid("check_result", resultIs),
			invalid("created_after", "created_after"+timeIs),
			invalid("created_before", "created_before"+timeIs),
		},
		"?page=0&x=1&status=z": {
			invalid("page", pageRange),
			invalid("status", "status must be one of pending, processing, ready_for_review, approved, rejected"),
			unknown("x", `there is no parameter "x"; `+known),
		},
	} {
		code := "invalid_parameter"
		if !slices.ContainsFunc(want, func(f problem.Field) bool { return f.Code == code }) {
			code = "unknown_parameter"
		}
		p := a.do(t, call{path: query}).wants(t, http.StatusBadRequest, code)
		for i := range p.Errors {
			if want[i].Parameter == "" {
				want[i].Parameter = p.Errors[i].Parameter
			}
		}
		if !slices.Equal(p.Errors, want) {
			t.Errorf("%s: %+v, want %+v", query, p.Errors, want)
		}
		if p.Instance != collection || p.Type != "/problems/"+code || !strings.HasPrefix(p.RequestID, "req_") {
			t.Errorf("%s: %+v", query, p)
		}
	}
}

func TestMalformedQueryIsRejected(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for _, query := range []string{"?page=%zz", "?page=1;per_page=2", "?%"} {
		p := a.do(t, call{path: query}).wants(t, http.StatusBadRequest, "invalid_parameter")
		if !strings.Contains(p.Detail, "not well-formed") {
			t.Errorf("%s: %s", query, p.Detail)
		}
	}
}

func TestEveryRouteRefusesParametersThatItDoesNotHave(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	id := a.create(t)
	for _, c := range []call{
		{path: collection + "/" + id + "?page=1"},
		{method: http.MethodPost, path: "?dry_run=true", body: valid},
	} {
		p := a.do(t, c).wants(t, http.StatusBadRequest, "unknown_parameter")
		if len(p.Errors) != 1 || !strings.HasPrefix(p.Errors[0].Detail, "there is no parameter ") {
			t.Errorf("%+v: %+v", c, p)
		}
	}
	if n := a.total(t); n != 1 {
		t.Errorf("%d shipments, want 1", n)
	}
}

// FuzzListQuery: whatever the query, the answer is described and no fault of
// the service.
func FuzzListQuery(f *testing.F) {
	for _, seed := range []string{
		"page=1&per_page=2", "status=approved", "page=%zz", "page=1;x", "%00=\xff", strings.Repeat("a=1&", 100),
		"reference=%C3%A9%00", "reference=+&check_result=fail", "created_after=2026-11-20T14:03:52.123Z",
		"created_after=0000-01-01T00:00:00%2B23:59&created_before=9999-12-31T23:59:59.999999999-23:59",
	} {
		f.Add(seed)
	}
	a := newAPIOf(f, fakeService(fakeRepository{}), nil)
	f.Fuzz(func(t *testing.T, query string) {
		u := url.URL{Path: collection, RawQuery: query}
		if parsed, err := url.Parse(u.String()); err != nil || parsed.Path != collection ||
			strings.ContainsAny(query, " \x7f#") {
			return // no client can send it
		}
		res := a.do(t, call{path: u.String()})
		if res.status != http.StatusOK && res.status != http.StatusBadRequest {
			t.Errorf("status %d: %s", res.status, res.body)
		}
	})
}
