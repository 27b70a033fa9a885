package transport_test

import (
	"net/http"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

func TestGetWithTheCurrentETagReturns304(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	tag := a.do(t, call{path: path}).header.Get("ETag")
	for name, c := range map[string]struct {
		lines  []string
		status int
	}{
		"the tag":                   {[]string{tag}, 304},
		"weak":                      {[]string{"W/" + tag}, 304},
		"any":                       {[]string{"*"}, 304},
		"one of a list":             {[]string{`"x", W/"y",` + tag + ` , "z"`}, 304},
		"on another line":           {[]string{`"x"`, tag}, 304},
		"with a comma in another":   {[]string{`"a,b", ` + tag}, 304},
		"empty elements":            {[]string{`, ,` + tag}, 304},
		"another":                   {[]string{`"2.2"`}, 200},
		"without quotes":            {[]string{tag[1 : len(tag)-1]}, 200},
		"unclosed":                  {[]string{tag[:len(tag)-1]}, 200},
		"only a part":               {[]string{`"1"`}, 200},
		"after something malformed": {[]string{`x, ` + tag}, 200},
		"empty":                     {[]string{""}, 200},
		"a star among others":       {[]string{`"x", *`}, 200},
		"lower-case w":              {[]string{`w/` + tag}, 200},
	} {
		res := a.do(t, call{path: path, header: http.Header{"If-None-Match": c.lines}})
		if res.status != c.status || res.header.Get("ETag") != tag {
			t.Errorf("%s: status %d, ETag %s, want %d, %s", name, res.status, res.header.Get("ETag"), c.status, tag)
		}
		if c.status == http.StatusNotModified && (len(res.body) > 0 || res.header.Get("Content-Type") != "") {
			t.Errorf("%s: 304 has a body", name)
		}
	}
	head := a.do(t, call{method: http.MethodHead, path: path, header: http.Header{"If-None-Match": {tag}}})
	head.wants(t, http.StatusNotModified, "")
}

// TestAnotherVersionHasAnotherTag, so that a change is always seen.
func TestAnotherVersionHasAnotherTag(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for version := range int64(3) {
		a := newAPIOf(t, detailService{detail: shipments.Detail{Shipment: func() shipments.Shipment {
			s := repotest.Shipment(shipments.Pending, repotest.Noon)
			s.Version = version
			return s
		}()}}, noWebhooks{})
		seen[a.do(t, call{path: collection + "/ship_00000000000000000000000001"}).header.Get("ETag")] = true
	}
	if len(seen) != 3 || seen[""] {
		t.Errorf("the tags are %v", seen)
	}
}
