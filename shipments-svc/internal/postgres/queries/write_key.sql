-- Stores an answer until $4.
INSERT INTO idempotency_keys AS k (organization_id, operation, key, expires_at, fingerprint, answer)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (organization_id, operation, key) DO UPDATE
SET expires_at = excluded.expires_at, fingerprint = excluded.fingerprint, answer = excluded.answer
