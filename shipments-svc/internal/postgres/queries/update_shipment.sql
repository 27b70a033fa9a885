-- Replaces a shipment that still has the status $3 and the version $4 by $5, with the checks $6, and returns the last
-- position of its pallets. It locks the shipment until the transaction ends. Without checks they are as before.
WITH revised AS (
	UPDATE shipments SET ({shipment_columns}, check_results) = (
		SELECT {shipment_columns}, CASE WHEN $6::json IS NULL THEN shipments.check_results
			ELSE ARRAY(SELECT DISTINCT result FROM json_populate_recordset(NULL::checks, $6::json)) END
		FROM json_populate_record(NULL::shipments, $5::json))
	WHERE organization_id = $1 AND id = $2 AND status = $3 AND version = $4
	RETURNING id
)
SELECT coalesce((SELECT max(position) FROM pallets WHERE organization_id = $1 AND shipment_id = $2), 0) FROM revised
