-- Waits for the organization's lock of a name, which the transaction then has until it ends.
SELECT pg_advisory_xact_lock(hashtextextended($1::uuid || ' ' || $2, 0))
