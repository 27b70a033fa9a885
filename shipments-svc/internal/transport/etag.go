package transport

import "strings"

// matches reports whether an If-None-Match header (RFC 9110, 13.1.2), of one
// or more lines, names the entity-tag. The comparison is weak: W/ says
// nothing here. A header that is malformed matches nothing from there on.
func matches(lines []string, tag string) bool {
	rest := strings.Trim(strings.Join(lines, ","), " \t")
	if rest == "*" {
		return true
	}
	for rest != "" {
		rest = strings.TrimLeft(rest, " \t,")
		opaque, ok := strings.CutPrefix(strings.TrimPrefix(rest, "W/"), `"`)
		if !ok {
			return false
		}
		candidate, after, closed := strings.Cut(opaque, `"`)
		if !closed {
			return false
		}
		if `"`+candidate+`"` == tag {
			return true
		}
		rest = strings.TrimLeft(after, " \t")
		if rest != "" && rest[0] != ',' {
			return false
		}
	}
	return false
}
