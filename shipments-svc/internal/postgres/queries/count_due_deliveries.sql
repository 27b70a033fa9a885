-- Counts the deliveries that are due at $1.
SELECT count(*) FROM (SELECT FROM webhook_deliveries WHERE due_at <= $1 LIMIT 10000) d
