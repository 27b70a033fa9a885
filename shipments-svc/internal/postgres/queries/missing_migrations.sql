-- Counts those of the files $1 of migrations that were not applied.
SELECT count(*) FROM unnest($1::text[]) file
WHERE split_part(split_part(file, '/', 2), '_', 1)::bigint NOT IN (SELECT version_id FROM goose_db_version)
