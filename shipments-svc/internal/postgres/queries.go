package postgres

// readySQL reads the newest table of the schema, so that it fails while a
// migration is missing.
const readySQL = `
SELECT count(*) FROM shipment_counts WHERE false`

// A list's query never counts or skips an organization's shipments one by
// one. It sums the counters by day, newest first; finds the day in which the
// page begins; and only within that day skips rows, in an index. The total is
// the sum of the same counters, so one statement, one snapshot and one round
// trip give both.
//
// $1 is the organization, $2 the offset, $3 the limit and $4 the status, or
// anyStatus for listSQL. A page past the end finds no day: its bound is null,
// which no row meets.
const (
	listSQL         = listDays + listRows
	listOfStatusSQL = listDays + ` AND status = $4` + listRows

	listDays = `
WITH days AS MATERIALIZED (
	SELECT day, sum(n)::bigint AS n
	FROM shipment_counts
	WHERE organization_id = $1 AND status = $4
	GROUP BY day
),
first_day AS MATERIALIZED (
	SELECT (day + 1)::timestamp AT TIME ZONE 'UTC' AS before, $2 - skipped AS offset_in_day
	FROM (SELECT day, n, sum(n) OVER (ORDER BY day DESC)::bigint - n AS skipped FROM days) running
	WHERE skipped <= $2 AND $2 < skipped + n
),
page AS MATERIALIZED (
	SELECT created_at, id
	FROM shipments
	WHERE organization_id = $1 AND created_at < (SELECT before FROM first_day)`

	listRows = `
	ORDER BY created_at DESC, id DESC
	OFFSET (SELECT offset_in_day FROM first_day) LIMIT $3
)
SELECT total.n AS total, s.id, s.version, s.status, s.reference, s.vessel, s.origin, s.destination,
	s.pallets_count, s.created_at, s.approved_at
FROM (SELECT coalesce(sum(n), 0)::bigint AS n FROM days) total
LEFT JOIN page ON true
LEFT JOIN shipments s ON s.organization_id = $1 AND s.id = page.id
ORDER BY page.created_at DESC, page.id DESC`
)

// getSQL reads a shipment and its parts. $1 is the organization, $2 the
// shipment.
const getSQL = `
SELECT s.id, s.version, s.status, s.reference, s.vessel, s.origin, s.destination,
	s.pallets_count, s.created_at, s.approved_at,
	(SELECT coalesce(json_agg(json_build_object(
			'pallet_number', pallet_number, 'produce_name', produce_name, 'calibre', calibre,
			'boxes', boxes, 'box_weight_g', box_weight_g) ORDER BY position), '[]')
		FROM pallets WHERE organization_id = $1 AND shipment_id = $2) AS pallets,
	(SELECT coalesce(json_agg(json_build_object(
			'name', name, 'result', result, 'details', details) ORDER BY position), '[]')
		FROM checks WHERE organization_id = $1 AND shipment_id = $2) AS checks
FROM shipments s
WHERE s.organization_id = $1 AND s.id = $2`

// createSQL stores a shipment and counts it. One statement is one round trip
// and holds the locks on its counters, taken in the order of their key, no
// longer than it must.
const createSQL = `
WITH created AS (
	INSERT INTO shipments (organization_id, id, version, status, reference, vessel, origin, destination,
		pallets_count, created_at, approved_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
)
INSERT INTO shipment_counts AS c (organization_id, status, day, shard, n)
VALUES ($1, '', $12, $13, 1), ($1, $4, $12, $13, 1)
ON CONFLICT (organization_id, status, day, shard) DO UPDATE SET n = c.n + 1`

// importShipmentsSQL stores those of the shipments in the JSON array $2 that
// the organization does not have yet, and returns which it stored.
const importShipmentsSQL = `
INSERT INTO shipments (organization_id, id, version, status, reference, vessel, origin, destination,
	pallets_count, created_at, approved_at)
SELECT $1, id, version, status, reference, vessel, origin, destination, pallets_count, created_at, approved_at
FROM json_to_recordset($2::json) AS given (id uuid, version bigint, status text, reference text, vessel text,
	origin text, destination text, pallets_count integer, created_at timestamptz, approved_at timestamptz)
ON CONFLICT (organization_id, id) DO NOTHING
RETURNING id`

const importPalletsSQL = `
INSERT INTO pallets (organization_id, shipment_id, position, pallet_number, produce_name, calibre, boxes, box_weight_g)
SELECT $1, given.shipment_id, given.position, p.pallet_number, p.produce_name, p.calibre, p.boxes, p.box_weight_g
FROM json_to_recordset($2::json) AS given (shipment_id uuid, position integer, part json),
	json_to_record(given.part) AS p (pallet_number text, produce_name text, calibre text, boxes integer, box_weight_g integer)`

const importChecksSQL = `
INSERT INTO checks (organization_id, shipment_id, position, name, result, details)
SELECT $1, given.shipment_id, given.position, c.name, c.result, c.details
FROM json_to_recordset($2::json) AS given (shipment_id uuid, position integer, part json),
	json_to_record(given.part) AS c (name text, result text, details text)`

// countSQL adds the changes in the JSON array $2 to counters, in the order of
// their key: transactions that change several wait for each other, but never
// in a circle.
const countSQL = `
INSERT INTO shipment_counts AS c (organization_id, status, day, shard, n)
SELECT $1, status, day, shard, n
FROM json_to_recordset($2::json) AS given (status text, day date, shard smallint, n bigint)
ORDER BY status, day, shard
ON CONFLICT (organization_id, status, day, shard) DO UPDATE SET n = c.n + excluded.n`
