// Package precondition evaluates If-Match and If-None-Match (RFC 9110, 13.1).
// If-Modified-Since and If-Unmodified-Since are ignored, as RFC 9110 requires
// for a resource without a modification date.
package precondition

import (
	"net/http"
	"strings"
)

// Failed returns the status of the response to a request whose precondition is
// false for a resource with this strong entity-tag: 412, or 304 for If-None-Match
// of GET and HEAD. It is 0 if the request is to be performed.
//
// A malformed header has no entity-tags from there on. One line of If-Match that
// is malformed makes it false.
func Failed(r *http.Request, tag string) int {
	if lines, ok := r.Header["If-Match"]; ok {
		if found, proper := find(lines, tag, false); !found || !proper {
			return http.StatusPreconditionFailed
		}
	}
	if found, _ := find(r.Header["If-None-Match"], tag, true); !found {
		return 0
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return http.StatusNotModified
	}
	return http.StatusPreconditionFailed
}

// encodings are what a compressing proxy adds to the entity-tags of what it
// compressed, and may not remove when they come back.
var encodings = []string{"-gzip", "-zstd", "-br"}

// find reports whether a list of entity-tags has the tag or is *, and whether it
// is well-formed. The comparison is weak or strong (RFC 9110, 8.8.3.2).
func find(lines []string, tag string, weak bool) (found, proper bool) {
	rest := strings.Trim(strings.Join(lines, ","), " \t")
	if rest == "*" {
		return true, true
	}
	for {
		if rest = strings.TrimLeft(rest, " \t,"); rest == "" {
			return found, true
		}
		strong := strings.TrimPrefix(rest, "W/")
		opaque, opened := strings.CutPrefix(strong, `"`)
		text, after, closed := strings.Cut(opaque, `"`)
		if !opened || !closed {
			return found, false
		}
		for _, suffix := range encodings {
			text = strings.TrimSuffix(text, suffix)
		}
		found = found || `"`+text+`"` == tag && (weak || strong == rest)
		if rest = strings.TrimLeft(after, " \t"); rest != "" && rest[0] != ',' {
			return found, false
		}
	}
}
