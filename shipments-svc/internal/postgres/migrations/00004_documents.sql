-- +goose Up

CREATE TABLE documents (
    organization_id   uuid           NOT NULL,
    shipment_id       uuid           NOT NULL,
    id                uuid           NOT NULL,
    type              text           NOT NULL,
    status            text           NOT NULL,
    sha256            bytea          NOT NULL,
    rows_read         integer        NOT NULL,
    pallets_extracted integer        NOT NULL,
    declared          jsonb          NOT NULL, -- what it says about the whole of its pallets
    created_at        timestamptz(3) NOT NULL,
    processed_at      timestamptz(3) NOT NULL,
    PRIMARY KEY (organization_id, shipment_id, id),
    UNIQUE (organization_id, shipment_id, sha256), -- the same content is attached once
    FOREIGN KEY (organization_id, shipment_id) REFERENCES shipments ON DELETE CASCADE
);

-- Where a pallet was read, and its label as an SSCC if it is one. Both are
-- null of pallets that were loaded by an operator, the latter also of others.
ALTER TABLE pallets
    ADD COLUMN document_id uuid,
    ADD COLUMN source_row  integer,
    ADD COLUMN sscc        text;
CREATE INDEX pallets_sscc ON pallets (organization_id, sscc) WHERE sscc IS NOT NULL;

ALTER TABLE checks
    ADD COLUMN count     integer NOT NULL DEFAULT 0,
    ADD COLUMN locations jsonb   NOT NULL DEFAULT '[]';

ALTER TABLE shipment_history ADD COLUMN document_id uuid; -- which was attached or deleted

-- +goose Down

ALTER TABLE shipment_history DROP COLUMN document_id;
ALTER TABLE checks DROP COLUMN locations, DROP COLUMN count;
DROP INDEX pallets_sscc;
ALTER TABLE pallets DROP COLUMN sscc, DROP COLUMN source_row, DROP COLUMN document_id;
DROP TABLE documents;
