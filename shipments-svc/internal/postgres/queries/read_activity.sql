-- Reads activity, the latest first, after the first $2 and at most $3, and how much there is.
SELECT (SELECT count(*) FROM activity WHERE organization_id = $1) AS total, (
	SELECT coalesce(json_agg(a), '[]') FROM (
		SELECT at, json_build_object('id', actor_id, 'name', actor_name) AS by, action, subject, name
		FROM activity WHERE organization_id = $1 ORDER BY id DESC OFFSET $2 LIMIT $3
	) a) AS elements
