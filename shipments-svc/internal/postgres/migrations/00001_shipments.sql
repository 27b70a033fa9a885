-- +goose Up

-- Every key begins with the organization: a query without it finds no
-- index, and the tables can be partitioned or distributed by it as they are.

CREATE TABLE shipments (
    organization_id uuid           NOT NULL,
    id              uuid           NOT NULL,
    version         bigint         NOT NULL,
    status          text           NOT NULL,
    reference       text           NOT NULL,
    vessel          text           NOT NULL,
    origin          text           NOT NULL,
    destination     text           NOT NULL,
    pallets_count   integer        NOT NULL,
    check_results   text[]         NOT NULL DEFAULT '{}', -- which its checks have, each once
    created_at      timestamptz(3) NOT NULL,
    approved_at     timestamptz(3),
    PRIMARY KEY (organization_id, id),
    CHECK (status IN ('pending', 'processing', 'ready_for_review', 'approved', 'rejected')),
    CHECK ((status = 'approved') = (approved_at IS NOT NULL))
);

-- The order of lists. Both hold all that finds a page's rows, so that rows
-- which are skipped are never fetched.
CREATE INDEX shipments_newest ON shipments (organization_id, created_at DESC, id DESC);
CREATE INDEX shipments_newest_of_status ON shipments (organization_id, status, created_at DESC, id DESC);

-- The same order, of one reference and of one check result. The latter hold
-- the status, so that shipments of a result and a status are counted in them.
CREATE INDEX shipments_newest_of_reference ON shipments (organization_id, reference, created_at DESC, id DESC);
CREATE INDEX shipments_newest_with_pass ON shipments (organization_id, created_at DESC, id DESC) INCLUDE (status)
    WHERE 'pass' = ANY (check_results);
CREATE INDEX shipments_newest_with_warn ON shipments (organization_id, created_at DESC, id DESC) INCLUDE (status)
    WHERE 'warn' = ANY (check_results);
CREATE INDEX shipments_newest_with_fail ON shipments (organization_id, created_at DESC, id DESC) INCLUDE (status)
    WHERE 'fail' = ANY (check_results);
CREATE INDEX shipments_newest_with_skip ON shipments (organization_id, created_at DESC, id DESC) INCLUDE (status)
    WHERE 'skip' = ANY (check_results);

CREATE TABLE pallets (
    organization_id uuid    NOT NULL,
    shipment_id     uuid    NOT NULL,
    position        integer NOT NULL,
    pallet_number   text    NOT NULL,
    produce_name    text    NOT NULL,
    calibre         text    NOT NULL,
    boxes           integer NOT NULL,
    box_weight_g    integer NOT NULL,
    PRIMARY KEY (organization_id, shipment_id, position),
    FOREIGN KEY (organization_id, shipment_id) REFERENCES shipments ON DELETE CASCADE
);

CREATE TABLE checks (
    organization_id uuid    NOT NULL,
    shipment_id     uuid    NOT NULL,
    position        integer NOT NULL,
    name            text    NOT NULL,
    result          text    NOT NULL,
    details         text    NOT NULL,
    PRIMARY KEY (organization_id, shipment_id, position),
    FOREIGN KEY (organization_id, shipment_id) REFERENCES shipments ON DELETE CASCADE,
    CHECK (result IN ('pass', 'warn', 'fail', 'skip'))
);

-- How many shipments an organization has of each status and UTC day of
-- creation, and under the empty status of all: the sum over the shards. Kept in the transaction that changes
-- the shipments. A row is written often and never changes its key, so its
-- pages keep room for the next version of it.
CREATE TABLE shipment_counts (
    organization_id uuid     NOT NULL,
    status          text     NOT NULL,
    day             date     NOT NULL,
    shard           smallint NOT NULL,
    n               bigint   NOT NULL,
    PRIMARY KEY (organization_id, status, day, shard)
) WITH (fillfactor = 50);

-- +goose Down

DROP TABLE shipment_counts;
DROP TABLE checks;
DROP TABLE pallets;
DROP TABLE shipments;
