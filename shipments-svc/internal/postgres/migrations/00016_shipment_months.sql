-- +goose Up

-- The counters by month: always the sums of those by day, which a trigger keeps.
-- A list adds up months until it finds the one in which its page begins, and
-- days of that month only.
CREATE TABLE shipment_months (
    organization_id uuid     NOT NULL,
    status          text     NOT NULL,
    month           date     NOT NULL, -- its first day
    shard           smallint NOT NULL,
    n               bigint   NOT NULL,
    PRIMARY KEY (organization_id, status, month, shard)
) WITH (fillfactor = 50);

-- +goose StatementBegin
CREATE FUNCTION count_by_month() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO shipment_months AS m (organization_id, status, month, shard, n)
    VALUES (NEW.organization_id, NEW.status, date_trunc('month', NEW.day::timestamp), NEW.shard,
        NEW.n - CASE TG_OP WHEN 'UPDATE' THEN OLD.n ELSE 0 END)
    ON CONFLICT (organization_id, status, month, shard) DO UPDATE SET n = m.n + excluded.n;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- CREATE TRIGGER blocks other writers of the counters until the end of this
-- migration. An owner that is no superuser reads the days only while row-level
-- security is not forced.
ALTER TABLE shipment_counts NO FORCE ROW LEVEL SECURITY;
CREATE TRIGGER count_by_month AFTER INSERT OR UPDATE ON shipment_counts
    FOR EACH ROW EXECUTE FUNCTION count_by_month();
INSERT INTO shipment_months
SELECT organization_id, status, date_trunc('month', day::timestamp), shard, sum(n)
FROM shipment_counts GROUP BY 1, 2, 3, 4;

ALTER TABLE shipment_counts FORCE ROW LEVEL SECURITY;
ALTER TABLE shipment_months ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON shipment_months TO quayside_tenant;
CREATE POLICY tenant ON shipment_months TO quayside_tenant
    USING (organization_id = nullif(current_setting('quayside.organization', true), '')::uuid)
    WITH CHECK (organization_id = nullif(current_setting('quayside.organization', true), '')::uuid);

-- +goose Down

DROP TRIGGER count_by_month ON shipment_counts;
DROP FUNCTION count_by_month;
DROP TABLE shipment_months;
