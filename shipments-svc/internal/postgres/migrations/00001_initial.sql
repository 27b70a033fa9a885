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
    voyage          text, -- null: none
    pallets_count   integer        NOT NULL,
    check_results   text[]         NOT NULL DEFAULT '{}', -- which its checks have, each once
    created_at      timestamptz(3) NOT NULL,
    approved_at     timestamptz(3),
    -- For lists by a beginning in any case. They are columns, as under row-level security no index serves a
    -- condition that calls lower().
    vessel_lower      text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(vessel)) STORED,
    destination_lower text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(destination)) STORED,
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
CREATE INDEX shipments_of_vessel ON shipments (organization_id, vessel_lower, created_at DESC, id DESC);
CREATE INDEX shipments_of_destination ON shipments (organization_id, destination_lower, created_at DESC, id DESC);

-- document_id and source_row are null of pallets of the demo.
CREATE TABLE pallets (
    organization_id uuid    NOT NULL,
    shipment_id     uuid    NOT NULL,
    position        integer NOT NULL,
    pallet_number   text    NOT NULL,
    produce_name    text    NOT NULL,
    calibre         text    NOT NULL,
    boxes           integer NOT NULL,
    box_weight_g    integer NOT NULL,
    document_id     uuid,
    source_sheet    text    NOT NULL DEFAULT '',
    source_row      integer,
    sscc            text, -- of the document, or the pallet number if it is one
    places          jsonb, -- of values that were read elsewhere; null: all at its source
    particulars     jsonb, -- further statements of its document; null: there are none
    contents        jsonb, -- the lines that it was put together from; null: it is one line
    PRIMARY KEY (organization_id, shipment_id, position),
    FOREIGN KEY (organization_id, shipment_id) REFERENCES shipments ON DELETE CASCADE
);
CREATE INDEX pallets_sscc ON pallets (organization_id, sscc) WHERE sscc IS NOT NULL;

CREATE TABLE checks (
    organization_id uuid    NOT NULL,
    shipment_id     uuid    NOT NULL,
    position        integer NOT NULL,
    name            text    NOT NULL,
    result          text    NOT NULL,
    details         text    NOT NULL,
    count           integer NOT NULL DEFAULT 0,
    locations       jsonb, -- null: none
    PRIMARY KEY (organization_id, shipment_id, position),
    FOREIGN KEY (organization_id, shipment_id) REFERENCES shipments ON DELETE CASCADE,
    CHECK (result IN ('pass', 'warn', 'fail', 'skip'))
);

-- The history of a shipment: one row for each version. The key prevents two
-- changes from making the same version.
CREATE TABLE shipment_history (
    organization_id uuid           NOT NULL,
    shipment_id     uuid           NOT NULL,
    version         bigint         NOT NULL,
    at              timestamptz(3) NOT NULL,
    actor_id        text           NOT NULL DEFAULT '', -- of a token or a person; empty: the service itself
    actor_name      text           NOT NULL DEFAULT '', -- of a person, as it was then; empty: it is not known
    action          text           NOT NULL,
    status          text           NOT NULL, -- after it
    reason          text           NOT NULL DEFAULT '',
    changes         jsonb          NOT NULL DEFAULT '[]', -- of an update: field, from, to
    document_id     uuid, -- that the action was about
    PRIMARY KEY (organization_id, shipment_id, version),
    FOREIGN KEY (organization_id, shipment_id) REFERENCES shipments ON DELETE CASCADE
);

-- How many shipments an organization has of each status and UTC day of
-- creation, and under the empty status of all: the sum over the shards. Kept in
-- the transaction that changes the shipments. A row is written often and never
-- changes its key, so its pages keep room for the next version of it.
CREATE TABLE shipment_counts (
    organization_id uuid     NOT NULL,
    status          text     NOT NULL,
    day             date     NOT NULL,
    shard           smallint NOT NULL,
    n               bigint   NOT NULL,
    PRIMARY KEY (organization_id, status, day, shard)
) WITH (fillfactor = 50);

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

CREATE TRIGGER count_by_month AFTER INSERT OR UPDATE ON shipment_counts
    FOR EACH ROW EXECUTE FUNCTION count_by_month();

-- The content of a file is in the files' storage, under the organization and the id.
CREATE TABLE documents (
    organization_id   uuid           NOT NULL,
    shipment_id       uuid           NOT NULL,
    id                uuid           NOT NULL,
    type              text           NOT NULL,
    status            text           NOT NULL,
    run               integer        NOT NULL DEFAULT 0, -- how often reading was asked for; 0: it is not read
    filename          text           NOT NULL DEFAULT '', -- empty: it was given by its pallets
    content_type      text           NOT NULL DEFAULT '',
    kind              text           NOT NULL DEFAULT '', -- how it is read
    size_bytes        bigint         NOT NULL DEFAULT 0,
    sha256            bytea          NOT NULL,
    rows_read         integer        NOT NULL,
    pallets_extracted integer        NOT NULL,
    declared          jsonb          NOT NULL, -- what it says about the whole of its pallets
    facts             jsonb, -- null: none, as below
    remarks           jsonb,
    failure           jsonb,
    given             jsonb, -- fields of columns, by a person
    mappings          jsonb          NOT NULL DEFAULT '[]', -- how its tables were understood when it was last read
    created_at        timestamptz(3) NOT NULL,
    processed_at      timestamptz(3),
    PRIMARY KEY (organization_id, shipment_id, id),
    UNIQUE (organization_id, shipment_id, sha256), -- the same content is attached once
    UNIQUE (organization_id, id),
    FOREIGN KEY (organization_id, shipment_id) REFERENCES shipments ON DELETE CASCADE,
    CONSTRAINT documents_status_check CHECK (status IN ('queued', 'processing', 'processed', 'failed')),
    CONSTRAINT documents_check CHECK ((status IN ('processed', 'failed')) = (processed_at IS NOT NULL))
);

-- Mappings of packing lists that a person corrected, for the next list with the same
-- headings.
CREATE TABLE mapping_templates (
    organization_id uuid           NOT NULL,
    id              uuid           NOT NULL,
    name            text           NOT NULL,
    fingerprint     text           NOT NULL,
    number_style    text           NOT NULL,
    columns         jsonb          NOT NULL,
    created_at      timestamptz(3) NOT NULL,
    updated_at      timestamptz(3) NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, fingerprint)
);

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
-- Workers serve organizations in turn, and the oldest job of all is a metric.
CREATE INDEX jobs_turns ON jobs (organization_id, claimable_at);
CREATE INDEX jobs_claimable ON jobs (claimable_at);

-- Responses to requests with an Idempotency-Key. A row commits with the effect
-- of its request.
CREATE TABLE idempotency_keys (
    organization_id uuid        NOT NULL,
    operation       text        NOT NULL, -- method and path
    key             text        NOT NULL,
    expires_at      timestamptz NOT NULL,
    fingerprint     bytea       NOT NULL, -- of the request's body
    answer          bytea       NOT NULL, -- encrypted if it has a secret
    PRIMARY KEY (organization_id, operation, key)
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (organization_id, expires_at);

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
    failing_since   timestamptz(3),          -- since when all attempts have failed; null: the last did not
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
CREATE INDEX webhook_deliveries_overdue ON webhook_deliveries (due_at) WHERE due_at IS NOT NULL; -- of all organizations

-- The second wall around an organization, behind the condition that each query
-- has. Row-level security is forced, so that owners of tables meet it, too; and
-- the program works as one of two roles, so that superusers do.
--
-- Roles belong to the whole server. The role that migrates creates them, or they
-- exist and are granted to it.

-- +goose StatementBegin
DO $$
DECLARE
    name text;
    -- Since Postgres 16 the creator of a role is a member that may not SET ROLE to it.
    acting text := CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END;
BEGIN
    FOREACH name IN ARRAY ARRAY['quayside_tenant', 'quayside_dispatcher'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', name);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL; -- another database was migrated at the same moment
            END;
        END IF;
        IF NOT pg_has_role(current_user, name, acting) THEN
            EXECUTE format('GRANT %I TO CURRENT_USER', name);
        END IF;
    END LOOP;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE insufficient_privilege USING MESSAGE = format(
        '%I may not make or get the role %I: a DBA can do CREATE ROLE %2$I NOLOGIN and GRANT %2$I TO %1$I', current_user, name);
END $$;
-- +goose StatementEnd

-- A tenant reads and writes only rows of the organization that the transaction
-- has set; none if it has set none.
-- +goose StatementBegin
DO $$
DECLARE
    name regclass;
    mine text := $q$organization_id = nullif(current_setting('quayside.organization', true), '')::uuid$q$;
BEGIN
    FOR name IN
        SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'organization_id'
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO quayside_tenant', name);
        EXECUTE format('CREATE POLICY tenant ON %1$s TO quayside_tenant USING (%2$s) WITH CHECK (%2$s)', name, mine);
    END LOOP;
END $$;
-- +goose StatementEnd

-- Readiness compares the applied migrations with those of the program, as the
-- tenant role.
GRANT SELECT ON goose_db_version TO quayside_tenant;

-- A dispatcher reads which organizations have pending work or something that expires
-- or is sealed, and to which of their endpoints a delivery is due and when; it claims
-- jobs, and reads nothing else. The work itself is then done as the organization.
GRANT SELECT (organization_id) ON outbox, event_heads, idempotency_keys TO quayside_dispatcher;
CREATE POLICY dispatcher ON outbox FOR SELECT TO quayside_dispatcher USING (true);
CREATE POLICY dispatcher ON event_heads FOR SELECT TO quayside_dispatcher USING (true);
CREATE POLICY dispatcher ON idempotency_keys FOR SELECT TO quayside_dispatcher USING (true);
GRANT SELECT, UPDATE (attempts, claimable_at, lease) ON jobs TO quayside_dispatcher;
CREATE POLICY dispatcher ON jobs TO quayside_dispatcher USING (true);
GRANT SELECT (organization_id, id, status) ON webhook_endpoints TO quayside_dispatcher;
GRANT SELECT (organization_id, endpoint_id, due_at) ON webhook_deliveries TO quayside_dispatcher;
CREATE POLICY dispatcher ON webhook_endpoints FOR SELECT TO quayside_dispatcher USING (true);
CREATE POLICY dispatcher ON webhook_deliveries FOR SELECT TO quayside_dispatcher USING (due_at IS NOT NULL);

-- +goose Down

-- The roles stay: other databases of the server may use them, and by
-- themselves they may do nothing.
REVOKE SELECT ON goose_db_version FROM quayside_tenant;
DROP TABLE webhook_deliveries, webhook_endpoints, events, event_heads, outbox, idempotency_keys,
    jobs, mapping_templates, documents, shipment_months, shipment_counts, shipment_history, checks, pallets, shipments;
DROP FUNCTION count_by_month;
