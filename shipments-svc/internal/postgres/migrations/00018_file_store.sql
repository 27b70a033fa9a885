-- +goose Up

-- The identity of the store of files that this database is bound to: at most one
-- row. The store carries the same, so that a database which was restored or
-- replaced is not taken for the owner of a store that it does not know.
CREATE TABLE file_store (identity uuid NOT NULL);
CREATE UNIQUE INDEX file_store_one ON file_store ((true));
GRANT SELECT, INSERT, UPDATE ON file_store TO quayside_dispatcher;

-- Stored files that have no document, and since when that is known.
CREATE TABLE file_quarantine (
    organization_id uuid        NOT NULL,
    document_id     uuid        NOT NULL, -- that the file was stored for
    store           uuid        NOT NULL, -- the identity of the store
    since           timestamptz NOT NULL,
    PRIMARY KEY (organization_id, document_id)
);
ALTER TABLE file_quarantine ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON file_quarantine TO quayside_tenant;
CREATE POLICY tenant ON file_quarantine TO quayside_tenant
    USING (organization_id = nullif(current_setting('quayside.organization', true), '')::uuid)
    WITH CHECK (organization_id = nullif(current_setting('quayside.organization', true), '')::uuid);

-- +goose Down

DROP TABLE file_quarantine;
DROP TABLE file_store;
