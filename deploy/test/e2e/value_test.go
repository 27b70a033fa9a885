package e2e

import (
	"encoding/base64"
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// object is a JSON object whose members keep their order and may repeat.
type object []member

type member struct {
	name  string
	value any
}

// literal is a piece of JSON text, well-formed or not.
type literal string

// value returns a value that is valid for the schema, for the keywords that the API
// documents use.
func value(rng *rand.Rand, s *openapi3.Schema, depth int) any {
	switch {
	case s == nil || depth > 8:
		return nil
	case len(s.Enum) > 0:
		return s.Enum[rng.IntN(len(s.Enum))]
	case s.Const != nil:
		return s.Const
	case len(s.AnyOf) > 0:
		return value(rng, s.AnyOf[rng.IntN(len(s.AnyOf))].Value, depth+1)
	case len(s.OneOf) > 0:
		return value(rng, s.OneOf[rng.IntN(len(s.OneOf))].Value, depth+1)
	case s.Type == nil && len(s.AllOf) > 0:
		return value(rng, s.AllOf[0].Value, depth+1)
	case s.Type == nil:
		return word(rng, 1, 12)
	}
	types := s.Type.Slice()
	switch types[rng.IntN(len(types))] {
	case "object":
		var o object
		for _, name := range sortedNames(s.Properties) {
			if contains(s.Required, name) || rng.IntN(3) > 0 {
				o = append(o, member{name, value(rng, s.Properties[name].Value, depth+1)})
			}
		}
		return o
	case "array":
		list := []any{}
		most := 4
		if s.MaxItems != nil {
			most = min(most, int(*s.MaxItems))
		}
		least := int(s.MinItems)
		for range least + rng.IntN(max(most-least, 0)+1) {
			list = append(list, value(rng, s.Items.Value, depth+1))
		}
		return list
	case "string":
		return text(rng, s)
	case "integer":
		return int64(number(rng, s))
	case "number":
		return number(rng, s)
	case "boolean":
		return rng.IntN(2) == 0
	default:
		return nil
	}
}

func number(rng *rand.Rand, s *openapi3.Schema) float64 {
	low, high := 0.0, 1000.0
	if s.Min != nil {
		low = *s.Min
	}
	if s.Max != nil {
		high = *s.Max
	}
	switch rng.IntN(6) {
	case 0:
		return low
	case 1:
		return high
	default:
		return low + float64(int(rng.Float64()*min(high-low, 1000)))
	}
}

func text(rng *rand.Rand, s *openapi3.Schema) string {
	switch {
	case s.Format == "date-time":
		at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rng.IntN(4000)) * time.Hour)
		return at.Format(time.RFC3339)
	case s.Pattern != "":
		if re, err := syntax.Parse(s.Pattern, syntax.Perl); err == nil {
			var b strings.Builder
			matching(rng, re.Simplify(), &b)
			return b.String()
		}
	case s.ContentEncoding == "base64":
		return base64.StdEncoding.EncodeToString([]byte(packingList(rng)))
	}
	most := 24
	if s.MaxLength != nil {
		most = int(min(*s.MaxLength, 2000))
		if rng.IntN(4) > 0 {
			most = min(most, 24)
		}
	}
	return word(rng, max(int(s.MinLength), 1), most)
}

// matching writes a string that matches re.
func matching(rng *rand.Rand, re *syntax.Regexp, b *strings.Builder) {
	switch re.Op { //nolint:exhaustive // Simplify leaves these, and what matches the empty string
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		i := 2 * rng.IntN(len(re.Rune)/2)
		b.WriteRune(re.Rune[i] + rune(rng.IntN(int(re.Rune[i+1]-re.Rune[i])+1)))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			matching(rng, sub, b)
		}
	case syntax.OpAlternate:
		matching(rng, re.Sub[rng.IntN(len(re.Sub))], b)
	case syntax.OpStar, syntax.OpPlus:
		for range 1 + rng.IntN(8) {
			matching(rng, re.Sub[0], b)
		}
	case syntax.OpQuest:
		if rng.IntN(2) == 0 {
			matching(rng, re.Sub[0], b)
		}
	}
}

var letters = []rune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789 -/.éñãßЖ果🍊")

// word returns text of between least and most code points, with no space at its ends.
func word(rng *rand.Rand, least, most int) string {
	n := least + rng.IntN(max(most-least, 0)+1)
	runes := make([]rune, n)
	for i := range runes {
		runes[i] = letters[rng.IntN(len(letters))]
		if (i == 0 || i == n-1) && runes[i] == ' ' {
			runes[i] = 'x'
		}
	}
	return string(runes)
}

// packingList returns a small CSV file.
func packingList(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("Pallet No,Produce,Calibre,Boxes,Box weight kg\n")
	for range 1 + rng.IntN(30) {
		b.WriteString(word(rng, 3, 10) + ",Avocado Hass,18," + []string{"264", "88", "0", "-1", "x", "1e9"}[rng.IntN(6)] +
			",4.125\n")
	}
	return b.String()
}
