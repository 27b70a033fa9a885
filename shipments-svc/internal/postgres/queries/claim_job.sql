-- Finds the first organization after $3 that has a claimable job and is not one of $4: among the claimable jobs, while
-- they are few, and otherwise by one step in the index for each organization that has jobs. It gives the job of it that
-- has been claimable longest the lease $1, for $2 seconds, unless others have claimed all of its jobs meanwhile. It is
-- the one query that serves all organizations at once.
WITH RECURSIVE claimable AS (
	SELECT turn FROM jobs WHERE claimable_at <= now() ORDER BY claimable_at LIMIT 100
), few AS (
	SELECT count(*) < 100 AS yes FROM claimable
), found (turn, ready) AS (
	((SELECT turn, true FROM claimable
		WHERE (SELECT yes FROM few) AND turn > $3 AND turn <> ALL ($4::uuid[]) ORDER BY turn LIMIT 1)
	UNION ALL
	(SELECT turn, claimable_at <= now() AND turn <> ALL ($4::uuid[])
		FROM jobs WHERE turn > $3 AND NOT (SELECT yes FROM few) ORDER BY turn, claimable_at LIMIT 1))
	UNION ALL
	SELECT further.turn, further.claimable_at <= now() AND further.turn <> ALL ($4::uuid[])
	FROM found CROSS JOIN LATERAL (
		SELECT turn, claimable_at FROM jobs o WHERE o.turn > found.turn ORDER BY turn, claimable_at LIMIT 1
	) further
	WHERE NOT found.ready
), next AS (
	SELECT organization_id, shipment_id, document_id FROM jobs
	WHERE turn = (SELECT turn FROM found WHERE ready) AND claimable_at <= now()
	ORDER BY claimable_at LIMIT 1 FOR UPDATE SKIP LOCKED
), claimed AS (
	UPDATE jobs j SET lease = $1, attempts = j.attempts + 1, claimable_at = now() + $2 * interval '1 second'
	FROM next
	WHERE j.organization_id = next.organization_id AND j.shipment_id = next.shipment_id
		AND j.document_id = next.document_id
	RETURNING j.organization_id, j.shipment_id, j.document_id, j.run, j.attempts
)
SELECT row_to_json(job) FROM (
	SELECT coalesce(claimed.organization_id, found.turn) AS organization_id, claimed.shipment_id, claimed.document_id,
		claimed.run, claimed.attempts
	FROM found LEFT JOIN claimed ON true
	WHERE found.ready
) job
