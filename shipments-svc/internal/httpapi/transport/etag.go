package transport

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// representation is part of every entity-tag. It changes when the same row
// comes to be shown differently, so that no client keeps the older form.
const representation = "2"

// tagOf is the entity-tag of a version of a shipment.
func tagOf(version int64) string {
	return `"` + representation + "." + strconv.FormatInt(version, 10) + `"`
}

// encodings are what a compressing proxy adds to the entity-tags of what it
// compressed, and may forget to take off when they come back.
var encodings = []string{"-gzip", "-zstd", "-br"}

// entityTag is one element of If-Match or If-None-Match (RFC 9110, 8.8.3).
type entityTag struct {
	tag  string // with its quotes, as we made it
	weak bool
}

// entityTags reads a header of one or more lines. anything reports that it is
// *. A header that is malformed has no tags from there on, and proper is false.
func entityTags(lines []string) (tags []entityTag, anything, proper bool) {
	rest := strings.Trim(strings.Join(lines, ","), " \t")
	if rest == "*" {
		return nil, true, true
	}
	for rest != "" {
		rest = strings.TrimLeft(rest, " \t,")
		strong := strings.TrimPrefix(rest, "W/")
		opaque, ok := strings.CutPrefix(strong, `"`)
		if !ok {
			return tags, false, rest == ""
		}
		text, after, closed := strings.Cut(opaque, `"`)
		if !closed {
			return tags, false, false
		}
		for _, suffix := range encodings {
			text = strings.TrimSuffix(text, suffix)
		}
		tags = append(tags, entityTag{tag: `"` + text + `"`, weak: strong != rest})
		rest = strings.TrimLeft(after, " \t")
		if rest != "" && rest[0] != ',' {
			return tags, false, false
		}
	}
	return tags, false, true
}

// matches reports whether an If-None-Match header (RFC 9110, 13.1.2) names the
// entity-tag. The comparison is weak: W/ is ignored.
func matches(lines []string, tag string) bool {
	tags, anything, _ := entityTags(lines)
	for _, t := range tags {
		if t.tag == tag {
			return true
		}
	}
	return anything
}

// ifMatch reads which versions an If-Match header (RFC 9110, 13.1.1) names.
// The comparison is strong: what W/ marks is not known to be the same.
func ifMatch(r *http.Request) shipments.Expectation {
	lines := r.Header.Values("If-Match")
	tags, anything, proper := entityTags(lines)
	if lines == nil || anything {
		return shipments.Expectation{}
	}
	versions := []int64{} // not nil: a header that names none is met by none
	if !proper {
		return shipments.Expectation{Versions: versions}
	}
	for _, t := range tags {
		text := strings.TrimPrefix(strings.Trim(t.tag, `"`), representation+".")
		if v, err := strconv.ParseInt(text, 10, 64); err == nil && t.tag == tagOf(v) && !t.weak {
			versions = append(versions, v)
		}
	}
	return shipments.Expectation{Versions: versions}
}
