package postgres

// readySQL counts those of the files $1 of migrations that were not applied.
const readySQL = `
SELECT count(*) FROM unnest($1::text[]) file
WHERE split_part(split_part(file, '/', 2), '_', 1)::bigint NOT IN (SELECT version_id FROM goose_db_version)`

// documentsJSON is a JSON array of the documents of the shipment $2.
var documentsJSON = `(SELECT coalesce(json_agg(d), '[]') FROM (
			SELECT ` + documentColumns + ` FROM documents
			WHERE organization_id = $1 AND shipment_id = $2 ORDER BY id) d)`

// documentsSQL reads the documents of the shipment $2.
var documentsSQL = `
SELECT ` + documentsJSON + ` FROM shipments WHERE organization_id = $1 AND id = $2`

// documentSQL reads the document $3 of the shipment $2 with its mappings, or null.
var documentSQL = `
SELECT (SELECT row_to_json(d) FROM (
	SELECT ` + documentColumns + `, mappings FROM documents
	WHERE organization_id = $1 AND shipment_id = $2 AND id = $3) d)
FROM shipments WHERE organization_id = $1 AND id = $2`

// headSQL reads a shipment without its parts as JSON. $1 is the organization, $2
// the shipment.
var headSQL = `
SELECT row_to_json(head) FROM (
	SELECT ` + shipmentColumns + `,
		(SELECT count(*) FROM documents WHERE organization_id = $1 AND shipment_id = $2 AND status <> 'failed') AS documents,
		EXISTS (SELECT FROM shipment_history WHERE organization_id = $1 AND shipment_id = $2
			AND action IN ('approve', 'reject')) AS decided
	FROM shipments
	WHERE organization_id = $1 AND id = $2
) head`

// versionsSQL reads the versions of the shipments $2.
const versionsSQL = `
SELECT coalesce(json_object_agg(id, version), '{}') FROM shipments
WHERE organization_id = $1 AND id = ANY ($2::uuid[])`

const (
	// dayAndShard is the counter of the shipment s: its UTC day of creation, and one of eight rows
	// over which the counter of a status and day is spread, so that as many transactions can count
	// at once. The row follows from the id, so that none is ever negative.
	dayAndShard = `(s.created_at AT TIME ZONE 'UTC')::date AS day, get_byte(uuid_send(s.id), 15) % 8 AS shard`

	// counting and counted enclose a SELECT of what is added to counters. Transactions wait for
	// each other over counters: so they are the last that a transaction changes, in the order of
	// their key and that of their months.
	counting = `INSERT INTO shipment_counts AS c (organization_id, status, day, shard, n) `
	counted  = ` ON CONFLICT (organization_id, status, day, shard) DO UPDATE SET n = c.n + excluded.n`

	// ofAll joins the shipments s with the two counters of each: of all, and of its status.
	ofAll = ` s CROSS JOIN LATERAL (VALUES (''), (s.status)) counted (status)`
)

// createSQL stores the shipment $2, begins its history by the actor $4 named $5, puts the
// events $3 into the outbox and counts it. One statement is one round trip, and holds the
// locks on the counters for the shortest time.
var createSQL = `
WITH created AS (
	INSERT INTO shipments (organization_id, ` + shipmentColumns + `)
	SELECT $1, ` + shipmentColumns + ` FROM json_populate_record(NULL::shipments, $2::json)
	RETURNING id, version, created_at, status
), noted AS (
	INSERT INTO shipment_history (organization_id, shipment_id, version, at, actor_id, actor_name, action, status)
	SELECT $1, id, version, created_at, $4, $5, 'create', status FROM created
), announced AS (` + announcing + `$3` + announced + `
)
` + counting + `SELECT $1, counted.status, ` + dayAndShard + `, 1 FROM created` + ofAll + ` ORDER BY 2` + counted

// deleteSQL removes a shipment that still has the status $3 and the version
// $4, with all that belongs to it; it returns how many shipments that was.
const deleteSQL = `
WITH deleted AS (
	DELETE FROM shipments
	WHERE organization_id = $1 AND id = $2 AND status = $3 AND version = $4
	RETURNING id, created_at, status
), announced AS (` + announcing + `$5` + announced + `
	WHERE EXISTS (SELECT FROM deleted)
), uncounted AS (
	` + counting + `SELECT $1, counted.status, ` + dayAndShard + `, -1
	FROM deleted` + ofAll + ` ORDER BY 2` + counted + `
)
SELECT count(*) FROM deleted`

// historySQL reads entries of a shipment's history, after the first $3 and at most $4, and how
// many there are. Without the shipment there is no row.
const historySQL = `
SELECT (SELECT count(*) FROM shipment_history WHERE organization_id = $1 AND shipment_id = $2) AS total, (
	SELECT coalesce(json_agg(h), '[]') FROM (
		SELECT version, at, json_build_object('id', actor_id, 'name', actor_name) AS by, action, status, reason,
			nullif(changes, '[]') AS changes, accepted, document_id
		FROM shipment_history WHERE organization_id = $1 AND shipment_id = $2
		ORDER BY version DESC OFFSET $3 LIMIT $4
	) h) AS elements
FROM shipments WHERE organization_id = $1 AND id = $2`

// putPalletsSQL stores pallets of the shipment $2 after the position $3.
var putPalletsSQL = `
INSERT INTO pallets (organization_id, shipment_id, position, sscc, ` + palletColumns + `)
SELECT $1, $2, $3 + ordinality, sscc, ` + palletColumns + `
FROM json_populate_recordset(NULL::pallets, $4::json) WITH ORDINALITY`

var putChecksSQL = `
INSERT INTO checks (organization_id, shipment_id, position, ` + checkColumns + `)
SELECT $1, $2, ordinality, ` + checkColumns + ` FROM json_populate_recordset(NULL::checks, $3::json) WITH ORDINALITY`

// moveSQL counts the shipment $2 in the status $4 and no longer in the status $3.
const moveSQL = counting + `SELECT $1, moved.status, ` + dayAndShard + `, moved.n
FROM shipments s CROSS JOIN (VALUES ($3::text, -1), ($4::text, 1)) moved (status, n)
WHERE s.organization_id = $1 AND s.id = $2 ORDER BY 2` + counted
