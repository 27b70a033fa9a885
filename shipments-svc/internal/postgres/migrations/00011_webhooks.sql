-- +goose Up

-- The URLs to which events of an organization are sent. Secrets are encrypted
-- with keys that the database does not have.
CREATE TABLE webhook_endpoints (
    organization_id uuid           NOT NULL,
    id              uuid           NOT NULL,
    url             text           NOT NULL,
    description     text           NOT NULL,
    event_types     text[]         NOT NULL, -- empty: all
    status          text           NOT NULL,
    disabled_reason text           NOT NULL DEFAULT '',
    secret          bytea          NOT NULL,
    previous_secret bytea,                   -- signs as well until previous_until
    previous_until  timestamptz(3),
    created_at      timestamptz(3) NOT NULL,
    updated_at      timestamptz(3) NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK (status IN ('enabled', 'disabled', 'deleted')), -- deleted: until its deliveries are
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
);

-- Deliveries of events to endpoints. There is no foreign key: old deliveries are
-- removed a few at a time, after their endpoint or event.
CREATE TABLE webhook_deliveries (
    organization_id uuid           NOT NULL,
    endpoint_id     uuid           NOT NULL,
    event_id        uuid           NOT NULL,
    event_number    bigint,                  -- null: a test, which is no event
    status          text           NOT NULL,
    due_at          timestamptz,             -- when to try, or when the lease ends; null: never again
    leased          boolean        NOT NULL DEFAULT false,
    claim           bigint         NOT NULL DEFAULT 0, -- higher with every lease: the holder of an older one cannot write
    tries           smallint       NOT NULL DEFAULT 0, -- since it was asked for
    attempts        jsonb          NOT NULL DEFAULT '[]', -- the newest, at most 100
    created_at      timestamptz(3) NOT NULL,
    PRIMARY KEY (organization_id, endpoint_id, event_id),
    CHECK (status IN ('pending', 'delivered', 'failed')),
    CHECK ((status = 'pending') = (due_at IS NOT NULL))
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (organization_id, endpoint_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (organization_id, created_at) WHERE event_number IS NULL;

-- +goose Down

DROP TABLE webhook_deliveries;
DROP TABLE webhook_endpoints;
