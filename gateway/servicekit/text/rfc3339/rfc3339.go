// Package rfc3339 reads times in exactly the forms of RFC 3339, section 5.6.
package rfc3339

import (
	"regexp"
	"strings"
	"time"
)

// form is the grammar. Package time reads other forms, too: an hour of one digit,
// a decimal comma, any offset; and not all of these: letters may be lower case.
var form = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// Parse returns the time that a text is, and whether it is one. A leap second,
// 23:59:60 UTC, is read as the second after it.
func Parse(text string) (time.Time, bool) {
	if !form.MatchString(text) {
		return time.Time{}, false
	}
	text = strings.ToUpper(text)
	const second = len("2026-11-20T23:59:")
	leap := text[second:second+2] == "60"
	if leap {
		text = text[:second] + "59" + text[second+2:]
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, false
	}
	if leap {
		t = t.Add(time.Second)
	}
	return t, !leap || t.UTC().Hour() == 0 && t.UTC().Minute() == 0
}
