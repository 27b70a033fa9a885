INSERT INTO shipment_history (organization_id, shipment_id, version, at, actor_id, actor_name, action, status,
	document_id, changes, reason, accepted)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, nullif($12::jsonb, 'null'))
