-- +goose Up

-- Further columns of a document that is a file. Its content is in the files'
-- storage, under the organization and the id.
ALTER TABLE documents
    ADD COLUMN run            integer NOT NULL DEFAULT 0, -- how often reading was asked for; 0: it is not read
    ADD COLUMN filename       text    NOT NULL DEFAULT '',
    ADD COLUMN content_type   text    NOT NULL DEFAULT '',
    ADD COLUMN kind           text    NOT NULL DEFAULT '', -- how it is read
    ADD COLUMN size_bytes     bigint  NOT NULL DEFAULT 0,
    ADD COLUMN facts          jsonb   NOT NULL DEFAULT '[]',
    ADD COLUMN remarks        jsonb   NOT NULL DEFAULT '[]',
    ADD COLUMN failure_code   text    NOT NULL DEFAULT '',
    ADD COLUMN failure_detail text    NOT NULL DEFAULT '',
    ALTER COLUMN processed_at DROP NOT NULL,
    ADD UNIQUE (organization_id, id),
    -- 00019 validates these, which does not block writers.
    ADD CONSTRAINT documents_status_check CHECK (status IN ('queued', 'processing', 'processed', 'failed')) NOT VALID,
    ADD CONSTRAINT documents_check CHECK ((status IN ('processed', 'failed')) = (processed_at IS NOT NULL)) NOT VALID;

-- Where a pallet's values were read, and the lines that it was put together
-- from.
ALTER TABLE pallets
    ADD COLUMN source_sheet text  NOT NULL DEFAULT '',
    ADD COLUMN places       jsonb, -- null: all at its source
    ADD COLUMN contents     jsonb; -- null: it is one line

-- Documents that are to be read: one row for each that is queued or being read.
CREATE TABLE jobs (
    organization_id uuid        NOT NULL,
    shipment_id     uuid        NOT NULL,
    document_id     uuid        NOT NULL,
    run             integer     NOT NULL, -- of the document
    attempts        integer     NOT NULL DEFAULT 0,
    claimable_at    timestamptz NOT NULL DEFAULT now(), -- while it is claimed: when the lease ends
    lease           uuid, -- of the worker that claimed it; null: not claimed
    PRIMARY KEY (organization_id, shipment_id, document_id),
    FOREIGN KEY (organization_id, shipment_id, document_id) REFERENCES documents ON DELETE CASCADE
);
-- Workers serve all organizations, so this is the one index that does not begin
-- with theirs.
CREATE INDEX jobs_claimable ON jobs (claimable_at);

-- +goose Down

DROP TABLE jobs;
ALTER TABLE pallets DROP COLUMN contents, DROP COLUMN places, DROP COLUMN source_sheet;
DELETE FROM documents WHERE processed_at IS NULL; -- what came before cannot read them
ALTER TABLE documents
    DROP CONSTRAINT documents_check,
    DROP CONSTRAINT documents_status_check,
    DROP CONSTRAINT documents_organization_id_id_key,
    ALTER COLUMN processed_at SET NOT NULL,
    DROP COLUMN failure_detail, DROP COLUMN failure_code, DROP COLUMN remarks, DROP COLUMN facts,
    DROP COLUMN size_bytes, DROP COLUMN kind, DROP COLUMN content_type, DROP COLUMN filename, DROP COLUMN run;
