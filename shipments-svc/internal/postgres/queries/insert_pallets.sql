-- Stores pallets of the shipment $2 after the position $3.
INSERT INTO pallets (organization_id, shipment_id, position, sscc, {pallet_columns})
SELECT $1, $2, $3 + ordinality, sscc, {pallet_columns}
FROM json_populate_recordset(NULL::pallets, $4::json) WITH ORDINALITY
