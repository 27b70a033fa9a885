INSERT INTO checks (organization_id, shipment_id, position, {check_columns})
SELECT $1, $2, ordinality, {check_columns} FROM json_populate_recordset(NULL::checks, $3::json) WITH ORDINALITY
