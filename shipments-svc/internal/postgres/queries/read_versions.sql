-- Reads the versions of the shipments $2.
SELECT coalesce(json_object_agg(id, version), '{}') FROM shipments
WHERE organization_id = $1 AND id = ANY ($2::uuid[])
