package reconcile

import (
	"strings"
	"time"
)

// dateLayouts are the notations of dates that are not ambiguous.
var dateLayouts = []string{
	"2006-01-02",
	"2006/01/02",
	"2006.01.02",
	"20060102",
	"2-Jan-2006",
	"2 Jan 2006",
	"2-Jan-06",
	"Jan 2, 2006",
}

// date returns a date as in ISO 8601, or as written where it is ambiguous.
func date(text string) string {
	text = strings.TrimSuffix(text, " 0:00:00")
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '-' || r == '.' })
	if len(parts) == 3 && len(parts[2]) == 4 && len(parts[0]) == 2 && parts[0] > "12" && parts[0] <= "31" { // day first
		if t, err := time.Parse("02 01 2006", strings.Join(parts, " ")); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	return text
}
