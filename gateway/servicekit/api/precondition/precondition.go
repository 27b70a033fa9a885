// Package precondition evaluates If-Match and If-None-Match (RFC 9110, 13.1).
// If-Modified-Since and If-Unmodified-Since are ignored, as RFC 9110 requires
// for a resource without a modification date.
package precondition

import (
	"net/http"
	"slices"
	"strings"
)

// Failed returns the status of the response to a request whose precondition is
// false for a resource whose representations have these strong entity-tags: 412, or 304
// for If-None-Match of GET and HEAD. It is 0 if the request is to be performed.
func Failed(r *http.Request, tags ...string) int {
	if lines, ok := r.Header["If-Match"]; ok && !has(lines, tags, false) {
		return http.StatusPreconditionFailed
	}
	switch {
	case !has(r.Header["If-None-Match"], tags, true):
		return 0
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		return http.StatusNotModified
	}
	return http.StatusPreconditionFailed
}

// encodings are what a compressing proxy adds to the entity-tags of what it
// compressed, and may not remove when they come back.
var encodings = []string{`-gzip"`, `-zstd"`, `-br"`}

// has reports whether a list of entity-tags has one of the tags or is *. The comparison is weak or strong (RFC 9110,
// 8.8.3.2).
func has(lines, tags []string, weak bool) bool {
	list := strings.TrimSpace(strings.Join(lines, ","))
	for one := range strings.SplitSeq(list, ",") {
		one = strings.TrimSpace(one)
		if weak {
			one = strings.TrimPrefix(one, "W/")
		}
		for _, suffix := range encodings {
			if start, ok := strings.CutSuffix(one, suffix); ok {
				one = start + `"`
			}
		}
		if slices.Contains(tags, one) {
			return true
		}
	}
	return list == "*"
}
