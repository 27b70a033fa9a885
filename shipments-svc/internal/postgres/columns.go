package postgres

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json/v1" // decodes in half of encoding/json's time
	"github.com/google/uuid"
	"github.com/lib/pq"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
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

// joined returns names, each in a format, with commas between them.
func joined(names []string, format string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = fmt.Sprintf(format, name)
	}
	return strings.Join(all, ", ")
}

// asJSON is an argument that is sent as JSON.
type asJSON struct{ value any }

// Value implements driver.Valuer. It returns a string: lib/pq sends a []byte as
// bytea, which is not cast to JSON.
func (a asJSON) Value() (driver.Value, error) {
	text, err := json.Marshal(a.value)
	return string(text), err
}

// fromJSON is a column of JSON. Its value is zero where the column is null.
type fromJSON[Value any] struct{ value Value }

// Scan implements sql.Scanner.
func (c *fromJSON[Value]) Scan(column any) error {
	if column == nil {
		return nil
	}
	text, ok := column.([]byte) // the driver's: it is valid until Scan returns
	if !ok {
		return fmt.Errorf("a column of JSON is %T", column)
	}
	return json.Unmarshal(text, &c.value)
}

// page is a part of a list, and how many elements the list has.
type page[Element any] struct {
	Total    int64
	Elements fromJSON[[]Element]
}

// each converts the elements of a slice. The result is never nil.
func each[A, B any](all []A, convert func(A) B) []B {
	converted := make([]B, len(all))
	for i, a := range all {
		converted[i] = convert(a)
	}
	return converted
}

// arrayOf returns identifiers as an argument that is an array of uuid.
func arrayOf[ID ~[16]byte](ids []ID) any {
	return pq.Array(each(ids, func(id ID) string { return uuid.UUID(id).String() }))
}

func nullTime(t time.Time) sql.NullTime {
	return sql.NullTime{Time: t, Valid: !t.IsZero()}
}

// palletRow is a pallet as it is written.
type palletRow struct {
	shipments.Pallet

	SSCC string `json:"sscc,omitempty"` // absent: null
}
