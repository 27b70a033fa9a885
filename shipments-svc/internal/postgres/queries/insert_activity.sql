-- Notes that at $3 the actor $4 named $5 did $6 to the webhook endpoint $7 named $8.
INSERT INTO activity VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
