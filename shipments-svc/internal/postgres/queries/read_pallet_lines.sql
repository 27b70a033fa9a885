-- Reads up to $4 lines of the pallets of the shipment $2, after the first $3.
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
				SELECT {line_columns} FROM pallets
				WHERE organization_id = $1 AND shipment_id = $2 AND position = numbered.position
				OFFSET 0 -- by the index, once for each
			) one
			WHERE first + lines > $3 AND first < $3 + $4
			ORDER BY first
		) p
	) AS pallets
	FROM shipments WHERE organization_id = $1 AND id = $2
) page
