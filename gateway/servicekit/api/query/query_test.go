package query

import (
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

func read(t *testing.T, rawQuery string) *Parameters {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/things", http.NoBody)
	r.URL.RawQuery = rawQuery
	return Read(r)
}

// faultsOf returns "code parameter: detail" of each fault.
func faultsOf(t *testing.T, p *Parameters) (all []string) {
	t.Helper()
	err, ok := errors.AsType[*Error](p.Err())
	if !ok {
		return nil
	}
	for _, f := range err.Faults {
		all = append(all, f.Code+" "+f.Parameter+": "+f.Detail)
	}
	return all
}

func TestNumbersAreWholeAndWithinTheirRange(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"1": 1, "007": 7, "1000": 1000} {
		p := read(t, "n="+text)
		if got := p.Number("n", 1, 1000, ""); got != want || p.Err() != nil {
			t.Errorf("%s is %d (%v), want %d", text, got, p.Err(), want)
		}
	}
	for _, text := range []string{"0", "1001", "-1", "%2B1", "1.0", "1e2", "one", "9223372036854775808"} {
		p := read(t, "n="+text)
		n := p.Number("n", 1, 1000, "; more is less")
		if got := faultsOf(t, p); n != 0 || len(got) != 1 ||
			got[0] != "invalid_parameter n: n must be a whole number from 1 to 1000; more is less" {
			t.Errorf("%q is %d, %q", text, n, got)
		}
	}
	p := read(t, "n=0&m=9223372036854775807")
	if n, m := p.Number("n", 0, 1, ""), p.Number("m", 0, math.MaxInt64, ""); n != 0 || m != math.MaxInt64 ||
		p.Err() != nil {
		t.Errorf("%d, %d, %v", n, m, p.Err())
	}
}

func TestMissingParametersAreZeroValues(t *testing.T) {
	t.Parallel()
	for _, rawQuery := range []string{"", "text=&n=&at=&kind="} {
		p := read(t, rawQuery)
		text, given := p.Text("text")
		if n, at, kind := p.Number("n", 1, 9, ""), p.Time("at"), OneOf(p, "kind", []string{"a"}); given || text != "" ||
			n != 0 || at != nil || kind != "" || p.Err() != nil {
			t.Errorf("%q: %q %t %d %v %q %v", rawQuery, text, given, n, at, kind, p.Err())
		}
	}
}

func TestTimesAreRFC3339(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 11, 20, 14, 3, 52, 123e6, time.UTC)
	for _, text := range []string{
		"2026-11-20T14:03:52.123Z", "2026-11-20T16:03:52.123%2B02:00", "2026-11-20t14:03:52.123z",
	} {
		p := read(t, "at="+text)
		if got := p.Time("at"); got == nil || !got.Equal(want) || p.Err() != nil {
			t.Errorf("%s is %v, %v", text, got, p.Err())
		}
	}
	for _, text := range []string{
		"2026-11-20", "2026-11-20T1:03:52Z", "2026-11-20T14:03:52,1Z",
		"2026-11-20T14:03:52%2B24:00", "2026-11-20T14:03:52+02:00", "2026-13-20T14:03:52Z",
	} {
		p := read(t, "at="+text)
		if got, faults := p.Time("at"), faultsOf(t, p); got != nil || len(faults) != 1 ||
			!strings.HasPrefix(faults[0], "invalid_parameter at: at must be an RFC 3339 time") {
			t.Errorf("%s is %v, %q", text, got, faults)
		}
	}
}

func TestOneOfAcceptsTheAllowedValuesOnly(t *testing.T) {
	t.Parallel()
	p := read(t, "a=open&b=Open")
	a, b := OneOf(p, "a", []string{"open", "closed"}), OneOf(p, "b", []string{"open", "closed"})
	if got := faultsOf(t, p); a != "open" || b != "" || len(got) != 1 ||
		got[0] != "invalid_parameter b: b must be one of open, closed" {
		t.Errorf("%q %q %q", a, b, got)
	}
}

func TestAParameterGivenTwiceIsAFault(t *testing.T) {
	t.Parallel()
	p := read(t, "n=1&n=1")
	n := p.Number("n", 1, 9, "")
	if got := faultsOf(t, p); n != 0 || len(got) != 1 ||
		got[0] != "invalid_parameter n: n is given 2 times; give it once" {
		t.Errorf("%d, %q", n, got)
	}
}

func TestUnknownParametersAreReportedInOrder(t *testing.T) {
	t.Parallel()
	p := read(t, "z=1&pag=1&a=")
	p.Number("page", 1, 9, "")
	for range 2 { // Err does not change the parameters
		got := faultsOf(t, p)
		if len(got) != 3 || !strings.HasPrefix(got[0], "unknown_parameter a: ") ||
			!strings.HasPrefix(got[1], `unknown_parameter pag: there is no parameter "pag"; did you mean "page"?`) ||
			!strings.HasPrefix(got[2], "unknown_parameter z: ") {
			t.Errorf("%q", got)
		}
	}
}

func TestAMalformedQueryIsAnErrorWithoutFaults(t *testing.T) {
	t.Parallel()
	for _, rawQuery := range []string{"a;b", "%zz", "a=%f"} {
		err, ok := errors.AsType[*Error](read(t, rawQuery).Err())
		if !ok || len(err.Faults) != 0 || !strings.Contains(err.Error(), "not well-formed") {
			t.Errorf("%q: %v", rawQuery, err)
		}
	}
}

func TestPageLinksKeepTheQueryAndStayWithinTheList(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page, perPage, total int64
		want                 string
	}{
		{1, 10, 0, "first=1 last=1"},
		{1, 10, 10, "first=1 last=1"},
		{1, 10, 11, "first=1 next=2 last=2"},
		{2, 10, 30, "first=1 prev=1 next=3 last=3"},
		{9, 10, 30, "first=1 prev=3 last=3"},
	} {
		u := &url.URL{Path: "/a b", RawQuery: "status=open&empty=&page=7&per_page=500"}
		var got []string
		for link := range strings.SplitSeq(PageLinks(u, c.page, c.perPage, c.total), ", ") {
			target, rel, _ := strings.Cut(link, ">; rel=")
			parsed, err := url.Parse(strings.TrimPrefix(target, "<"))
			if err != nil {
				t.Fatal(err)
			}
			q := parsed.Query()
			got = append(got, strings.Trim(rel, `"`)+"="+q.Get("page"))
			if parsed.Path != "/a b" || q.Get("status") != "open" || q.Get("per_page") != "10" || q.Has("empty") {
				t.Errorf("%s", link)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("page %d of %d: %q, want %s", c.page, c.total, got, c.want)
		}
	}
}
