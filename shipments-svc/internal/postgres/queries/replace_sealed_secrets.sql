-- Replaces the secrets $3 unless they are others meanwhile.
UPDATE webhook_endpoints SET secret = ($4::bytea[])[1], previous_secret = nullif(($4::bytea[])[2], ''),
	older_secrets = ($4::bytea[])[3:]
WHERE organization_id = $1 AND id = $2 AND ARRAY[secret, coalesce(previous_secret, '')] || older_secrets = $3::bytea[]
