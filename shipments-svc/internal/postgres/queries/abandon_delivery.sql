-- Ends a delivery whose event is no longer kept.
UPDATE webhook_deliveries SET status = 'failed', due_at = NULL, leased = false
WHERE organization_id = $1 AND endpoint_id = $2 AND event_id = $3 AND claim = $4 AND leased
