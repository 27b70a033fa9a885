-- Reports whether the transaction has the organization's lock of a name, then until it ends.
SELECT pg_try_advisory_xact_lock(hashtextextended($1::uuid || ' ' || $2, 0))
