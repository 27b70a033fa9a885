package postgres

import (
	"reflect"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// getSQL reads a shipment and parts of it as JSON. $1 is the organization, $2 the
// shipment. Its parts are null if they have more than $3 bytes. Its pallets, less those
// of the document $5, are null if they have more than $4 bytes.
var getSQL = `
SELECT row_to_json(detail) FROM (
	SELECT ` + shipmentColumns + `, bytes,
		CASE WHEN bytes <= $3::bigint AND of_pallets <= $4 THEN (SELECT coalesce(json_agg(p), '[]') FROM (
			SELECT ` + palletColumns + `
			FROM pallets WHERE organization_id = $1 AND shipment_id = $2 AND document_id IS DISTINCT FROM $5
			ORDER BY document_id NULLS FIRST, position) p) END AS pallets,
		CASE WHEN bytes <= $3 THEN (SELECT coalesce(json_agg(c), '[]') FROM (
			SELECT ` + checkColumns + `
			FROM checks WHERE organization_id = $1 AND shipment_id = $2 ORDER BY position) c) END AS checks,
		CASE WHEN bytes <= $3 THEN (SELECT coalesce(json_agg(d), '[]') FROM (
			SELECT ` + list(ofParts, "%s") + `
			FROM documents WHERE organization_id = $1 AND shipment_id = $2 ORDER BY id) d) END AS documents
	FROM shipments CROSS JOIN LATERAL (
		SELECT of_pallets, of_others + CASE WHEN of_pallets <= $4 THEN of_pallets ELSE 0 END AS bytes
		FROM (` + bytesOfParts + `) sizes
		OFFSET 0 -- it is computed once
	) parts
	WHERE organization_id = $1 AND id = $2
) detail`

// bytesOfParts returns about how many bytes the parts of the shipment $2 have that getSQL reads.
var bytesOfParts = `
	SELECT (
		SELECT coalesce(sum(300 + ` + bytesOf("contents") + ` + ` + bytesOf("particulars") + `), 0)
		FROM pallets WHERE organization_id = $1 AND shipment_id = $2 AND document_id IS DISTINCT FROM $5
	) AS of_pallets, (
		SELECT coalesce(sum(1000 + ` + bytesOf("given") + ` + CASE WHEN ` + stated + `
			THEN ` + bytesOf("facts") + ` + ` + bytesOf("remarks") + ` ELSE 0 END), 0)
		FROM documents WHERE organization_id = $1 AND shipment_id = $2
	) + (
		SELECT coalesce(sum(300 + ` + bytesOf("locations") + `), 0)
		FROM checks WHERE organization_id = $1 AND shipment_id = $2
	) AS of_others`

// bytesOf returns an expression for how many bytes a column of jsonb has. What is not compressed is not read for it.
func bytesOf(column string) string {
	return `CASE WHEN ` + column + ` IS NULL THEN 0 WHEN pg_column_compression(` + column + `) IS NULL
		THEN pg_column_size(` + column + `) ELSE octet_length(` + column + `::text) END`
}

// stated reports whether getSQL reads what a document states.
const stated = `($4::bigint > 0 OR id = $5)`

// ofParts are the columns of documents that getSQL reads.
var ofParts = each(ofDocuments, func(name string) string {
	if name == "facts" || name == "remarks" {
		return `CASE WHEN ` + stated + ` THEN ` + name + ` END AS ` + name
	}
	return name
})

// linesSQL reads up to $4 lines of the pallets of the shipment $2, after the first $3.
var linesSQL = `
WITH numbered AS (
	SELECT position, lines, sum(lines) OVER (ORDER BY document_id NULLS FIRST, position) - lines AS first
	FROM (
		SELECT document_id, position, coalesce(jsonb_array_length(contents), 1) AS lines
		FROM pallets WHERE organization_id = $1 AND shipment_id = $2
	) p
)
SELECT row_to_json(page) FROM (
	SELECT version, (SELECT coalesce(sum(lines), 0) FROM numbered) AS total, (
		SELECT coalesce(json_agg(p), '[]') FROM (
			SELECT one.*, lines, greatest($3::bigint - first, 0) AS contents_from
			FROM numbered CROSS JOIN LATERAL (
				SELECT ` + list(ofLines, "%s") + ` FROM pallets
				WHERE organization_id = $1 AND shipment_id = $2 AND position = numbered.position
				OFFSET 0 -- by the index, once for each
			) one
			WHERE first + lines > $3 AND first < $3 + $4
			ORDER BY first
		) p
	) AS pallets
	FROM shipments WHERE organization_id = $1 AND id = $2
) page`

// ofLines are the columns of pallets that linesSQL reads.
var ofLines = each(columns(reflect.TypeFor[shipments.Pallet]()), func(name string) string {
	if name == "contents" {
		return `(SELECT jsonb_agg(line ORDER BY n) FROM jsonb_array_elements(contents) WITH ORDINALITY l (line, n)
				WHERE first + n > $3 AND first + n <= $3 + $4) AS contents`
	}
	return name
})
