package postgres

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Row types name their columns in JSON tags. Statements read rows with
// row_to_json and write them with json_populate_record, so that a column is
// named in its row type only.
var (
	shipmentColumns = list(columns(reflect.TypeFor[shipmentRow]()), "%s")
	shipmentValues  = list(values(columns(reflect.TypeFor[shipmentRow]())), "%s")
	palletColumns   = list(columns(reflect.TypeFor[palletRow]()), "%s")
	checkColumns    = list(columns(reflect.TypeFor[checkRow]()), "%s")
	documentColumns = list(columns(reflect.TypeFor[documentRow]()), "%s")
	documentUpdates = list(columns(reflect.TypeFor[documentRow]()), "%[1]s = excluded.%[1]s")
)

// columns returns the JSON names of a struct's fields, those of embedded structs
// included.
func columns(row reflect.Type) []string {
	var names []string
	for field := range row.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			names = append(names, columns(field.Type)...)
			continue
		}
		names = append(names, name)
	}
	return names
}

// values returns names, with an expression that is never null for each optional
// text, which JSON omits where it is empty.
func values(names []string) []string {
	for i, name := range names {
		if slices.ContainsFunc(shipments.Texts, func(t shipments.Text) bool { return t.Optional && t.Name == name }) {
			names[i] = "coalesce(" + name + ", '')"
		}
	}
	return names
}

// list joins names, each in a format, by commas.
func list(names []string, format string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = fmt.Sprintf(format, name)
	}
	return strings.Join(all, ", ")
}

// jsonOf returns a value as JSON in a string: lib/pq sends a []byte as bytea,
// which is not cast to JSON.
func jsonOf(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

// fromJSON decodes a column of JSON.
func fromJSON[Row any](text []byte) (row Row, err error) {
	err = json.Unmarshal(text, &row)
	return row, err
}
