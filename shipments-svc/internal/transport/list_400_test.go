package transport_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/problem"
)

func TestListRefusesParametersAndSaysWhatIsAllowed(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	const pageRange = "page must be a whole number from 1 to 9223372036854775807"
	const perPageRange = "per_page must be a whole number from 1 to 9223372036854775807; more than 100 counts as 100"
	invalid := func(name, detail string) problem.Field {
		return problem.Field{Code: "invalid_parameter", Parameter: name, Detail: detail}
	}
	unknown := func(name, detail string) problem.Field {
		return problem.Field{Code: "unknown_parameter", Parameter: name, Detail: detail}
	}
	for query, want := range map[string][]problem.Field{
		"?page=0":                        {invalid("page", pageRange)},
		"?page=-1":                       {invalid("page", pageRange)},
		"?page=1.0":                      {invalid("page", pageRange)},
		"?page=1e3":                      {invalid("page", pageRange)},
		"?page=%2B1":                     {invalid("page", pageRange)},
		"?page=+1":                       {invalid("page", pageRange)},
		"?page=%EF%BC%91":                {invalid("page", pageRange)},
		"?page=1%00":                     {invalid("page", pageRange)},
		"?page=9223372036854775808":      {invalid("page", pageRange)},
		"?per_page=0":                    {invalid("per_page", perPageRange)},
		"?per_page=ten":                  {invalid("per_page", perPageRange)},
		"?per_page=99999999999999999999": {invalid("per_page", perPageRange)},
		"?status=lost": {invalid("status",
			"status must be one of pending, processing, ready_for_review, approved, rejected")},
		"?status=Pending": {invalid("status",
			"status must be one of pending, processing, ready_for_review, approved, rejected")},
		"?page=1&page=1":   {invalid("page", "page is given 2 times; give it once")},
		"?status=&status=": {invalid("status", "status is given 2 times; give it once")},
		"?pge=1":           {unknown("pge", `there is no parameter "pge"; did you mean "page"?`)},
		"?perPage=1":       {unknown("perPage", `there is no parameter "perPage"; did you mean "per_page"?`)},
		"?PAGE=1":          {unknown("PAGE", `there is no parameter "PAGE"; did you mean "page"?`)},
		"?vessel=x":        {unknown("vessel", `there is no parameter "vessel"; there is page, per_page, status`)},
		"?=x":              {unknown("", `there is no parameter ""; there is page, per_page, status`)},
		"?page=0&x=1&status=z": {
			invalid("page", pageRange),
			invalid("status", "status must be one of pending, processing, ready_for_review, approved, rejected"),
			unknown("x", `there is no parameter "x"; there is page, per_page, status`),
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

func TestAQueryThatIsNotWellFormedIsRefused(t *testing.T) {
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
		if len(p.Errors) != 1 || !strings.HasSuffix(p.Errors[0].Detail, "there is none here") {
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
	for _, seed := range []string{"page=1&per_page=2", "status=approved", "page=%zz", "page=1;x", "%00=\xff", strings.Repeat("a=1&", 100)} {
		f.Add(seed)
	}
	a := newAPIOf(f, emptyService{})
	f.Fuzz(func(t *testing.T, query string) {
		u := url.URL{Path: collection, RawQuery: query}
		if parsed, err := url.Parse(u.String()); err != nil || parsed.Path != collection || strings.ContainsAny(query, " \x7f#") {
			return // no client can send it
		}
		res := a.do(t, call{path: u.String()})
		if res.status != http.StatusOK && res.status != http.StatusBadRequest {
			t.Errorf("status %d: %s", res.status, res.body)
		}
	})
}
