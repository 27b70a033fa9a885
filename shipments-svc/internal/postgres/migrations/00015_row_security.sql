-- +goose Up

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

-- A dispatcher reads which organizations have pending work, and to which of their
-- endpoints a delivery is due and when; it claims jobs, and reads nothing else.
-- The work itself is then done as the organization.
GRANT SELECT (organization_id) ON outbox, event_heads TO quayside_dispatcher;
CREATE POLICY dispatcher ON outbox FOR SELECT TO quayside_dispatcher USING (true);
CREATE POLICY dispatcher ON event_heads FOR SELECT TO quayside_dispatcher USING (true);
GRANT SELECT, UPDATE (attempts, claimable_at, lease) ON jobs TO quayside_dispatcher;
CREATE POLICY dispatcher ON jobs TO quayside_dispatcher USING (true);
GRANT SELECT (organization_id, id, status) ON webhook_endpoints TO quayside_dispatcher;
GRANT SELECT (organization_id, endpoint_id, due_at) ON webhook_deliveries TO quayside_dispatcher;
CREATE POLICY dispatcher ON webhook_endpoints FOR SELECT TO quayside_dispatcher USING (status = 'enabled');
CREATE POLICY dispatcher ON webhook_deliveries FOR SELECT TO quayside_dispatcher USING (due_at IS NOT NULL);

-- +goose Down

-- The roles stay: other databases of the server may use them, and by
-- themselves they may do nothing.

-- +goose StatementBegin
DO $$
DECLARE
    name regclass;
    policy record;
BEGIN
    FOR policy IN
        SELECT polname, polrelid::regclass AS of FROM pg_policy WHERE polname IN ('tenant', 'dispatcher')
    LOOP
        EXECUTE format('DROP POLICY %I ON %s', policy.polname, policy.of);
    END LOOP;
    FOR name IN
        SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relrowsecurity
    LOOP
        EXECUTE format('REVOKE ALL ON %s FROM quayside_tenant, quayside_dispatcher', name);
        EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY', name);
    END LOOP;
END $$;
-- +goose StatementEnd
