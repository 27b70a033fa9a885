-- +goose Up

-- When a backup was last completed, for an alert on its age.
ALTER TABLE revision ADD COLUMN backed_up_at timestamptz(3);

-- Backups are made as a login that reads everything and changes nothing else.
CREATE FUNCTION record_backup() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'UPDATE public.revision SET backed_up_at = pg_catalog.now()';
REVOKE ALL ON FUNCTION record_backup FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_backup TO pg_read_all_data;

-- +goose Down

DROP FUNCTION record_backup;
ALTER TABLE revision DROP COLUMN backed_up_at;
