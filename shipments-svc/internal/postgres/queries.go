package postgres

// readySQL reads the newest table of the schema, so that it fails while a
// migration is missing.
const readySQL = `
SELECT count(*) FROM shipment_counts WHERE false`

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
	pallets_count, check_results, created_at, approved_at)
SELECT $1, id, version, status, reference, vessel, origin, destination, pallets_count, check_results, created_at, approved_at
FROM json_to_recordset($2::json) AS given (id uuid, version bigint, status text, reference text, vessel text,
	origin text, destination text, pallets_count integer, check_results text[], created_at timestamptz,
	approved_at timestamptz)
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
