-- The logins of the services, which have no right but what `migrate up` of their
-- service grants to its SERVE_LOGIN. It can be run again.
\set tokens_password `cat /run/secrets/tokens_password`
\set shipments_password `cat /run/secrets/shipments_password`
SELECT format('CREATE ROLE %I LOGIN NOINHERIT', name)
FROM (VALUES ('tokens_serve'), ('shipments_serve')) AS logins (name)
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec
ALTER ROLE tokens_serve PASSWORD :'tokens_password';
ALTER ROLE shipments_serve PASSWORD :'shipments_password';
