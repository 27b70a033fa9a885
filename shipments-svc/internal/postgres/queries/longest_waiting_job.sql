-- Returns for how many seconds a job has been claimable at most.
SELECT coalesce(extract(epoch FROM now() - min(claimable_at)), 0)::float8 FROM jobs WHERE claimable_at <= now()
