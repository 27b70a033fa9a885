-- Reads what people look at first: how many shipments wait for something and the newest $2 of each, decisions of twelve
-- weeks from the day $3 on, and the latest $2 changes by people. Those that fail are counted up to $4.
SELECT json_build_object(
	'counts', (SELECT coalesce(json_object_agg(status, n), '{}') FROM (
		SELECT status, sum(n)::bigint AS n FROM shipment_months WHERE organization_id = $1 GROUP BY status
	) c),
	'newest', (SELECT json_object_agg(wanted.status, found) FROM unnest(ARRAY['ready_for_review', 'pending', 'processing'])
		wanted (status) CROSS JOIN LATERAL (
		SELECT coalesce(json_agg(s), '[]') AS found FROM (
			SELECT {shipment_columns} FROM shipments WHERE organization_id = $1 AND shipments.status = wanted.status
			ORDER BY created_at DESC, id DESC LIMIT $2
		) s) l),
	'failing', (SELECT coalesce(json_agg(s), '[]') FROM (
		SELECT {shipment_columns} FROM shipments
		WHERE organization_id = $1 AND status = 'ready_for_review' AND 'fail' = ANY (check_results)
		ORDER BY created_at DESC, id DESC LIMIT $2
	) s),
	'failing_count', (SELECT count(*) FROM (
		SELECT FROM shipments WHERE organization_id = $1 AND status = 'ready_for_review' AND 'fail' = ANY (check_results)
		LIMIT $4
	) f),
	'weeks', (SELECT json_agg(w ORDER BY begin) FROM (
		SELECT week AT TIME ZONE 'UTC' AS begin, coalesce(sum(n) FILTER (WHERE action = 'approve'), 0) AS approved,
			coalesce(sum(n) FILTER (WHERE action = 'reject'), 0) AS rejected
		FROM generate_series($3::date::timestamp, $3::date + interval '11 weeks', interval '1 week') week
		LEFT JOIN decision_counts ON organization_id = $1 AND day >= week::date AND day < week::date + 7
		GROUP BY week
	) w),
	'latest', (SELECT coalesce(json_agg(e), '[]') FROM (
		SELECT at, json_build_object('id', actor_id, 'name', actor_name) AS by, action, shipment_id AS id, reference
		FROM (
			SELECT * FROM shipment_history WHERE organization_id = $1 AND actor_name <> '' ORDER BY at DESC LIMIT $2
		) h CROSS JOIN LATERAL (SELECT reference FROM shipments WHERE organization_id = $1 AND id = h.shipment_id) s
		ORDER BY at DESC
	) e))
