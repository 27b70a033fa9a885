-- Counts the checks of the shipments $2 by their results.
SELECT coalesce(json_object_agg(shipment_id, tally), '{}') FROM (
	SELECT shipment_id, json_build_object('fail', count(*) FILTER (WHERE result = 'fail'),
		'warn', count(*) FILTER (WHERE result = 'warn'), 'pass', count(*) FILTER (WHERE result = 'pass')) AS tally
	FROM checks WHERE organization_id = $1 AND shipment_id = ANY ($2::uuid[]) GROUP BY shipment_id
) t
