-- +goose Up

-- Readiness compares the applied migrations with those of the program, as the
-- tenant role.
GRANT SELECT ON goose_db_version TO quayside_tenant;

-- +goose Down

REVOKE SELECT ON goose_db_version FROM quayside_tenant;
