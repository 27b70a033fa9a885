package precondition

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const tag = `"2.1"`

func TestPreconditionsAreThoseOfRFC9110(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines              []string
		match, noneOf, set int // of If-Match, of If-None-Match of a GET, and of a PATCH
	}{
		"the tag":                {[]string{tag}, 0, 304, 412},
		"any":                    {[]string{"*"}, 0, 304, 412},
		"any, with spaces":       {[]string{" * "}, 0, 304, 412},
		"weak":                   {[]string{"W/" + tag}, 412, 304, 412},
		"lower-case w":           {[]string{"w/" + tag}, 412, 0, 0},
		"of a list":              {[]string{`"x", W/"y",` + tag + ` , "z"`}, 0, 304, 412},
		"on another line":        {[]string{`"x"`, tag}, 0, 304, 412},
		"after a comma in a tag": {[]string{`"a,b",` + tag}, 0, 304, 412},
		"empty elements":         {[]string{`, ,` + tag + `,`}, 0, 304, 412},
		"weak, then strong":      {[]string{"W/" + tag + "," + tag}, 0, 304, 412},
		"compressed with gzip":   {[]string{`"2.1-gzip"`}, 0, 304, 412},
		"compressed with zstd":   {[]string{`"2.1-zstd"`}, 0, 304, 412},
		"compressed with br":     {[]string{`W/"2.1-br"`}, 412, 304, 412},
		"another":                {[]string{`"2.2"`}, 412, 0, 0},
		"a longer one":           {[]string{`"2.1-x"`}, 412, 0, 0},
		"a part":                 {[]string{`"1"`}, 412, 0, 0},
		"empty":                  {[]string{""}, 412, 0, 0},
		"an empty tag":           {[]string{`""`}, 412, 0, 0},
		"without quotes":         {[]string{"2.1"}, 412, 0, 0},
		"unclosed":               {[]string{`"2.1`}, 412, 0, 0},
		"W alone":                {[]string{`W/`}, 412, 0, 0},
		"a star among others":    {[]string{`"x", *`}, 412, 0, 0},
		"two stars":              {[]string{"*", "*"}, 412, 0, 0},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPatch} {
			none := c.noneOf
			if method == http.MethodPatch {
				none = c.set
			}
			if got := of(method, http.Header{"If-Match": c.lines}); got != c.match {
				t.Errorf("%s, If-Match: %s: %d, want %d", method, name, got, c.match)
			}
			if got := of(method, http.Header{"If-None-Match": c.lines}); got != none {
				t.Errorf("%s, If-None-Match: %s: %d, want %d", method, name, got, none)
			}
		}
	}
}

func TestIfMatchIsEvaluatedBeforeIfNoneMatch(t *testing.T) {
	t.Parallel()
	for want, header := range map[int]http.Header{
		http.StatusPreconditionFailed: {"If-Match": {`"x"`}, "If-None-Match": {tag}},
		http.StatusNotModified:        {"If-Match": {tag}, "If-None-Match": {tag}},
		0:                             {"If-Match": {tag}, "If-None-Match": {`"x"`}},
	} {
		if got := of(http.MethodGet, header); got != want {
			t.Errorf("%v: %d, want %d", header, got, want)
		}
	}
}

func TestDatesAreIgnored(t *testing.T) {
	t.Parallel()
	for _, date := range []string{"Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 01 Jan 2100 00:00:00 GMT", "yesterday", ""} {
		if got := of(http.MethodGet, http.Header{"If-Modified-Since": {date}, "If-Unmodified-Since": {date}}); got != 0 {
			t.Errorf("%s: %d", date, got)
		}
	}
}

// FuzzHas: whatever the header, a tag is found where it stands in a
// list, and no other is found.
func FuzzHas(f *testing.F) {
	for _, seed := range []string{tag, `W/"2.1"`, `*`, `"a", "b"`, `"a`, `,`, `""`, "\x00", `"2.1" "2.1"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if found := has([]string{tag, header}, []string{tag}, false); !found {
			t.Errorf("%q hides the tag before it", header)
		}
		if found := has([]string{header}, []string{`"no client can have this one` + "\x00" + `"`}, true); found &&
			strings.TrimSpace(header) != "*" {
			t.Errorf("%q matches a tag that it does not have", header)
		}
	})
}

func of(method string, header http.Header) int {
	r := httptest.NewRequest(method, "/", nil)
	r.Header = header
	return Failed(r, tag)
}
