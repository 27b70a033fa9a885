package postgres

import (
	"embed"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

//go:embed queries/*.sql
var queries embed.FS

// statement is a file of queries, in which {…_columns} stands for those of a type.
type statement struct{ name, text string }

// with returns the statement with a text in place of {name}.
func (s statement) with(name, text string) statement {
	return statement{s.name, strings.ReplaceAll(s.text, "{"+name+"}", text)}
}

// query returns the statement of a file. That there is none is a fault of the program.
func query(name string) statement {
	s, ok := statements[name]
	if !ok {
		panic("there is no queries/" + name + ".sql")
	}
	return s
}

// statements are all of queries by their names, without comments.
var statements = func() map[string]statement {
	all := map[string]statement{}
	files, _ := queries.ReadDir("queries") // it is embedded
	for _, file := range files {
		text, _ := queries.ReadFile("queries/" + file.Name())
		sql := comments.ReplaceAllString(string(text), "")
		sql = columnLists.Replace(bytesOf.ReplaceAllString(sql, bytesOfColumn))
		name := strings.TrimSuffix(file.Name(), ".sql")
		all[name] = statement{name, sql}
	}
	return all
}()

// The domain's types name their columns in JSON tags. Statements read rows with
// row_to_json and write them with json_populate_record, so that a column is
// named there only.
var columnLists = strings.NewReplacer(
	"{shipment_columns}", joined(columns(reflect.TypeFor[shipments.Shipment]()), "%s"),
	"{pallet_columns}", joined(palletColumns, "%s"),
	"{check_columns}", joined(columns(reflect.TypeFor[shipments.Check]()), "%s"),
	"{document_columns}", joined(documentColumns, "%s"),
	"{document_updates}", joined(documentColumns, "%[1]s = excluded.%[1]s"),
	"{part_columns}", joined(each(documentColumns, func(name string) string {
		if name == "facts" || name == "remarks" {
			return `CASE WHEN $4::bigint > 0 OR id = $5 THEN ` + name + ` END AS ` + name
		}
		return name
	}), "%s"),
	"{line_columns}", joined(each(palletColumns, func(name string) string {
		if name == "contents" {
			return `(SELECT jsonb_agg(line ORDER BY n) FROM jsonb_array_elements(contents) WITH ORDINALITY l (line, n)
				WHERE first + n > $3 AND first + n <= $3 + $4) AS contents`
		}
		return name
	}), "%s"),
)

var (
	palletColumns = columns(reflect.TypeFor[shipments.Pallet]())
	// documentColumns are those of documents less the mappings, which are read of one document alone.
	documentColumns = slices.DeleteFunc(columns(reflect.TypeFor[shipments.Document]()), func(name string) bool {
		return name == "mappings"
	})
)

var (
	comments = regexp.MustCompile(`(?m)^--.*\n`)
	bytesOf  = regexp.MustCompile(`\{bytes_of (\w+)\}`)
)

// bytesOfColumn is how many bytes a column of jsonb has. What is not compressed is not read for it.
const bytesOfColumn = `CASE WHEN ${1} IS NULL THEN 0 WHEN pg_column_compression(${1}) IS NULL
	THEN pg_column_size(${1}) ELSE octet_length(${1}::text) END`
