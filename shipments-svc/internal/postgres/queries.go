package postgres

// readySQL reads the newest table of the schema, so that it fails while a
// migration is missing.
const readySQL = `
SELECT count(*) FROM idempotency_leases WHERE false`

// getSQL reads a shipment and its parts. $1 is the organization, $2 the
// shipment.
const getSQL = `
SELECT s.id, s.version, s.status, s.reference, s.vessel, s.origin, s.destination,
	s.pallets_count, s.created_at, s.approved_at,
	(SELECT coalesce(json_agg(p), '[]') FROM (
		SELECT pallet_number, produce_name, calibre, boxes, box_weight_g, document_id, source_sheet, source_row, places, contents
		FROM pallets WHERE organization_id = $1 AND shipment_id = $2 ORDER BY document_id NULLS FIRST, position) p) AS pallets,
	(SELECT coalesce(json_agg(c), '[]') FROM (
		SELECT name, result, details, count, locations
		FROM checks WHERE organization_id = $1 AND shipment_id = $2 ORDER BY position) c) AS checks,
	` + documentsJSON + ` AS documents
FROM shipments s
WHERE s.organization_id = $1 AND s.id = $2`

// documentsJSON is a shipment's documents as a JSON array.
const documentsJSON = `(SELECT coalesce(json_agg(json_build_object(
			'id', id, 'type', type, 'status', status, 'run', run, 'filename', filename, 'content_type', content_type,
			'kind', kind, 'size_bytes', size_bytes, 'sha256', encode(sha256, 'base64'), 'rows_read', rows_read,
			'pallets_extracted', pallets_extracted, 'declared', declared, 'facts', facts, 'remarks', remarks,
			'failure_code', failure_code, 'failure_detail', failure_detail,
			'created_at', created_at, 'processed_at', processed_at) ORDER BY id), '[]')
		FROM documents WHERE organization_id = $1 AND shipment_id = $2)`

// documentsSQL reads the documents of the shipment $2.
const documentsSQL = `
SELECT ` + documentsJSON + ` FROM shipments WHERE organization_id = $1 AND id = $2`

// headSQL reads a shipment without its parts. $1 is the organization, $2 the
// shipment.
const headSQL = `
SELECT s.id, s.version, s.status, s.reference, s.vessel, s.origin, s.destination,
	s.pallets_count, s.created_at, s.approved_at,
	ARRAY(SELECT name FROM checks WHERE organization_id = $1 AND shipment_id = $2 AND result = 'fail' ORDER BY position) AS failing,
	(SELECT count(*) FROM documents WHERE organization_id = $1 AND shipment_id = $2) AS documents
FROM shipments s
WHERE s.organization_id = $1 AND s.id = $2`

// createSQL stores a shipment, begins its history, announces and counts it. One
// statement is one round trip and holds the locks on its counters, taken in
// the order of their key, no longer than it must.
const createSQL = `
WITH created AS (
	INSERT INTO shipments (organization_id, id, version, status, reference, vessel, origin, destination,
		pallets_count, created_at, approved_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
	RETURNING version, created_at, status
), noted AS (
	INSERT INTO shipment_history (organization_id, shipment_id, version, at, token_id, action, status)
	SELECT $1, $2, version, created_at, $14, 'create', status FROM created
), announced AS (` + announcing + `$15` + announced + `
)
INSERT INTO shipment_counts AS c (organization_id, status, day, shard, n)
VALUES ($1, '', $12, $13, 1), ($1, $4, $12, $13, 1)
ON CONFLICT (organization_id, status, day, shard) DO UPDATE SET n = c.n + 1`

// changeSQL changes a shipment that still has the status $3 and the version
// $4, notes that in its history, announces it and counts it anew; it returns how
// many shipments that was. The counters wait for the shipment's row, so they are
// locked last here, too.
const changeSQL = `
WITH changed AS (
	UPDATE shipments SET version = $5, status = $6, reference = $7, vessel = $8, origin = $9, destination = $10, approved_at = $11
	WHERE organization_id = $1 AND id = $2 AND status = $3 AND version = $4
	RETURNING version, status
), noted AS (
	INSERT INTO shipment_history (organization_id, shipment_id, version, at, token_id, action, status, reason, changes)
	SELECT $1, $2, version, $14, $15, $16, status, $17, $18 FROM changed
), announced AS (` + announcing + `$19` + announced + `
	WHERE EXISTS (SELECT FROM changed)
), counted AS (
	INSERT INTO shipment_counts AS c (organization_id, status, day, shard, n)
	SELECT $1, moved.status, $12::date, $13::smallint, moved.n
	FROM (VALUES ($3, -1), ($6, 1)) AS moved (status, n)
	WHERE $3 <> $6 AND EXISTS (SELECT FROM changed)
	ORDER BY moved.status
	ON CONFLICT (organization_id, status, day, shard) DO UPDATE SET n = c.n + excluded.n
)
SELECT count(*) FROM changed`

// deleteSQL removes a shipment that still has the status $3 and the version
// $4, with all that belongs to it; it returns how many shipments that was.
const deleteSQL = `
WITH deleted AS (
	DELETE FROM shipments
	WHERE organization_id = $1 AND id = $2 AND status = $3 AND version = $4
	RETURNING id
), announced AS (` + announcing + `$7` + announced + `
	WHERE EXISTS (SELECT FROM deleted)
), counted AS (
	INSERT INTO shipment_counts AS c (organization_id, status, day, shard, n)
	SELECT $1, left_behind.status, $5::date, $6::smallint, -1
	FROM (VALUES (''), ($3)) AS left_behind (status)
	WHERE EXISTS (SELECT FROM deleted)
	ORDER BY left_behind.status
	ON CONFLICT (organization_id, status, day, shard) DO UPDATE SET n = c.n + excluded.n
)
SELECT count(*) FROM deleted`

// historySQL reads entries of a shipment's history, after the first $3 and at
// most $4, and how many there are. Without the shipment there is no row;
// without entries there is one, of the number only.
const historySQL = `
SELECT counted.total, h.version, h.at, h.token_id, h.action, h.status, h.reason, h.changes, h.document_id
FROM (
	SELECT (SELECT count(*) FROM shipment_history WHERE organization_id = $1 AND shipment_id = $2) AS total
	FROM shipments WHERE organization_id = $1 AND id = $2
) counted
LEFT JOIN LATERAL (
	SELECT version, at, token_id, action, status, reason, changes, document_id
	FROM shipment_history WHERE organization_id = $1 AND shipment_id = $2
	ORDER BY version DESC OFFSET $3 LIMIT $4
) h ON true
ORDER BY h.version DESC`

// importShipmentsSQL stores those of the shipments in the JSON array $2 that
// the organization does not have yet, and returns which it stored.
const importShipmentsSQL = `
WITH stored AS (
	INSERT INTO shipments (organization_id, id, version, status, reference, vessel, origin, destination,
		pallets_count, check_results, created_at, approved_at)
	SELECT $1, id, version, status, reference, vessel, origin, destination, pallets_count, check_results, created_at, approved_at
	FROM json_to_recordset($2::json) AS given (id uuid, version bigint, status text, reference text, vessel text,
		origin text, destination text, pallets_count integer, check_results text[], created_at timestamptz,
		approved_at timestamptz)
	ON CONFLICT (organization_id, id) DO NOTHING
	RETURNING id, version, status
), noted AS (
	INSERT INTO shipment_history (organization_id, shipment_id, version, at, action, status)
	SELECT $1, id, version, now(), 'import', status FROM stored
)
SELECT id FROM stored`

const importPalletsSQL = `
INSERT INTO pallets (organization_id, shipment_id, position, pallet_number, produce_name, calibre, boxes, box_weight_g,
	document_id, source_sheet, source_row, places, contents, sscc)
SELECT $1, given.shipment_id, given.position, p.pallet_number, p.produce_name, p.calibre, p.boxes, p.box_weight_g,
	p.document_id, p.source_sheet, p.source_row, p.places, p.contents, p.sscc
FROM json_to_recordset($2::json) AS given (shipment_id uuid, position integer, part json),
	json_to_record(given.part) AS p (pallet_number text, produce_name text, calibre text, boxes integer, box_weight_g integer,
		document_id uuid, source_sheet text, source_row integer, places jsonb, contents jsonb, sscc text)`

const importChecksSQL = `
INSERT INTO checks (organization_id, shipment_id, position, name, result, details, count, locations)
SELECT $1, given.shipment_id, given.position, c.name, c.result, c.details, c.count, c.locations
FROM json_to_recordset($2::json) AS given (shipment_id uuid, position integer, part json),
	json_to_record(given.part) AS c (name text, result text, details text, count integer, locations jsonb)`

// countSQL adds the changes in the JSON array $2 to counters, in an order in
// which their months are in that of their key, too: transactions that change
// several wait for each other, but never in a circle.
const countSQL = `
INSERT INTO shipment_counts AS c (organization_id, status, day, shard, n)
SELECT $1, status, day, shard, n
FROM json_to_recordset($2::json) AS given (status text, day date, shard smallint, n bigint)
ORDER BY status, date_trunc('month', day::timestamp), shard, day
ON CONFLICT (organization_id, status, day, shard) DO UPDATE SET n = c.n + excluded.n`
