-- Reads a shipment and parts of it as JSON. $1 is the organization, $2 the shipment. Its parts are null if they have
-- more than $3 bytes. Its pallets, less those of the document $5, are null if they have more than $4 bytes. What is
-- stored apart from its row is read for the JSON only, and so are pallets, of which there may be 10,000, in their order.
WITH p AS (
	SELECT {pallet_columns} FROM pallets
	WHERE organization_id = $1 AND shipment_id = $2 AND document_id IS DISTINCT FROM $5
	ORDER BY document_id NULLS FIRST, position
), c AS (
	SELECT {check_columns} FROM checks WHERE organization_id = $1 AND shipment_id = $2 ORDER BY position
), d AS (
	SELECT {part_columns} FROM documents WHERE organization_id = $1 AND shipment_id = $2 ORDER BY id
)
SELECT row_to_json(detail) FROM (
	SELECT {shipment_columns}, bytes,
		CASE WHEN bytes <= $3::bigint AND of_pallets <= $4 THEN (SELECT coalesce(json_agg(p), '[]') FROM p) END AS pallets,
		CASE WHEN bytes <= $3 THEN (SELECT coalesce(json_agg(c), '[]') FROM c) END AS checks,
		CASE WHEN bytes <= $3 THEN (SELECT coalesce(json_agg(d), '[]') FROM d) END AS documents
	FROM shipments CROSS JOIN LATERAL (
		SELECT of_pallets, of_others + CASE WHEN of_pallets <= $4 THEN of_pallets ELSE 0 END AS bytes
		FROM (
			SELECT (SELECT coalesce(sum(300 + {bytes_of contents} + {bytes_of particulars}), 0) FROM pallets
					WHERE organization_id = $1 AND shipment_id = $2 AND document_id IS DISTINCT FROM $5) AS of_pallets,
				(SELECT coalesce(sum(1000 + {bytes_of given} + {bytes_of facts} + {bytes_of remarks}), 0) FROM d)
				+ (SELECT coalesce(sum(300 + {bytes_of locations}), 0) FROM c) AS of_others
		) sizes
		OFFSET 0 -- it is computed once
	) parts
	WHERE organization_id = $1 AND id = $2
) detail
