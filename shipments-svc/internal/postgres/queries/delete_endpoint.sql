-- Leaves a row without secrets until the deliveries are removed, which can be many.
UPDATE webhook_endpoints SET status = 'deleted', secret = '', previous_secret = NULL, previous_until = NULL,
	older_secrets = '{}', older_until = '{}', url = '', description = ''
WHERE organization_id = $1 AND id = $2 AND status <> 'deleted'
RETURNING id
