-- +goose Up

-- Stored files that no document has, since when the sweep has known that.
CREATE TABLE unknown_files (
    organization_id uuid        NOT NULL,
    document_id     uuid        NOT NULL,
    marked_at       timestamptz NOT NULL,
    PRIMARY KEY (organization_id, document_id)
);
ALTER TABLE unknown_files ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON unknown_files TO quayside_tenant;
CREATE POLICY tenant ON unknown_files TO quayside_tenant
    USING (organization_id = nullif(current_setting('quayside.organization', true), '')::uuid)
    WITH CHECK (organization_id = nullif(current_setting('quayside.organization', true), '')::uuid);

-- +goose Down
DROP TABLE unknown_files;
