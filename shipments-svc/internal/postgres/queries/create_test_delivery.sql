INSERT INTO webhook_deliveries (organization_id, endpoint_id, event_id, status, due_at, created_at)
VALUES ($1, $2, $3, 'pending', $4, $4)
