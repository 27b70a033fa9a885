-- +goose Up

-- Events that have no number yet, written by the transactions that changed the
-- shipments and documents. A later change of the same shipment has a higher
-- position, because it waits for the earlier one.
CREATE TABLE outbox (
    organization_id uuid           NOT NULL,
    position        bigint         GENERATED ALWAYS AS IDENTITY,
    id              uuid           NOT NULL,
    type            text           NOT NULL,
    at              timestamptz(3) NOT NULL,
    subject         jsonb          NOT NULL, -- the shipment, and perhaps a document, right after the change
    PRIMARY KEY (organization_id, position)
);

-- The number of the newest event of each organization that has events.
CREATE TABLE event_heads (
    organization_id uuid   NOT NULL,
    number          bigint NOT NULL,
    PRIMARY KEY (organization_id)
);

-- Events that committed, numbered from 1 in each organization, without gaps.
CREATE TABLE events (
    organization_id uuid           NOT NULL,
    number          bigint         NOT NULL,
    id              uuid           NOT NULL,
    type            text           NOT NULL,
    at              timestamptz(3) NOT NULL,
    numbered_at     timestamptz    NOT NULL DEFAULT now(),
    subject         jsonb          NOT NULL,
    PRIMARY KEY (organization_id, number),
    UNIQUE (organization_id, id)
);

-- +goose Down

DROP TABLE events;
DROP TABLE event_heads;
DROP TABLE outbox;
