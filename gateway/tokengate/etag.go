package tokengate

import (
	"net/http"
	"strings"
)

// encodedTags are what Caddy's encode appends to a strong entity-tag of a response that it compresses. It removes them
// from If-None-Match alone, and there only the one that the request would be answered with.
var encodedTags = [...]string{`-gzip"`, `-zstd"`}

// conditions are the headers in which clients send entity-tags back.
var conditions = [...]string{"If-Match", "If-None-Match", "If-Range"}

// stripEncodedTags makes the entity-tags of compressed responses those of the services again. It returns those of
// If-None-Match as the client sent them.
func stripEncodedTags(header http.Header) (known string) {
	for _, name := range conditions {
		values, ok := header[name]
		if !ok {
			continue
		}
		sent := strings.Join(values, ", ")
		stripped := sent
		for _, suffix := range encodedTags {
			stripped = strings.ReplaceAll(stripped, suffix, `"`)
		}
		if stripped == sent {
			continue
		}
		header[name] = []string{stripped}
		if name == "If-None-Match" {
			known = sent
		}
	}
	return known
}

// restoreEncodedTag makes the entity-tag of a 304 the one that the client sent (RFC 9110,
// 15.4.5), given what stripEncodedTags returned.
func restoreEncodedTag(header http.Header, known string) {
	values := header["Etag"]
	if known == "" || len(values) != 1 {
		return
	}
	for _, suffix := range encodedTags {
		if encoded := strings.TrimSuffix(values[0], `"`) + suffix; strings.Contains(known, encoded) {
			header["Etag"] = []string{encoded}
			return
		}
	}
}
