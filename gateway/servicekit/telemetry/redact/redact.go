// Package redact removes what could be a secret from texts that are logged.
package redact

import "strings"

const (
	// tokenPrefix is what API tokens begin with.
	tokenPrefix = "shpt"
	// beforeSecrets is the path below which codes and invitations are, after a kind and a slash.
	beforeSecrets = "/sign-in/"
	// invitation is a segment below which users put codes by mistake.
	invitation = "invitation"
	// longestSegment is longer than every id and name in a path, and shorter than the secret of a token.
	longestSegment = 40
)

// Path cuts an escaped path where a secret may begin: at a token, at a segment that is
// long enough for one without its prefix, at an escape, which could hide one, and where codes and invitations are.
func Path(path string) string {
	segment := 0
	for i := range len(path) {
		c := path[i]
		if c == '/' {
			segment = i + 1
		}
		switch {
		case i-segment == longestSegment:
			return path[:segment] + "…"
		case c == '%', hasPrefixFold(path[i:], tokenPrefix):
			return path[:i] + "…"
		case c == '/' && secretFollows(path[:i]):
			return path[:i+1] + "…"
		}
	}
	return path
}

// secretFollows reports whether path ends with /sign-in/ and a kind, or with /invitation.
func secretFollows(path string) bool {
	kind := path[strings.LastIndexByte(path, '/')+1:]
	before := path[:len(path)-len(kind)]
	return strings.EqualFold(kind, invitation) || hasPrefixFold(before[max(len(before)-len(beforeSecrets), 0):],
		beforeSecrets)
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
