-- Finds the secrets of an organization's endpoints: the present one, the previous one, which is empty if there is
-- none, and older ones.
SELECT id, ARRAY[secret, coalesce(previous_secret, '')] || older_secrets AS secrets
FROM webhook_endpoints WHERE organization_id = $1 AND status <> 'deleted'
