-- Reads the stored answer at $4. After try_lock it must be a statement of its own: it sees what was committed before
-- the lock was got.
SELECT fingerprint, answer FROM idempotency_keys
WHERE organization_id = $1 AND operation = $2 AND key = $3 AND expires_at > $4
