-- The login of tokens-svc: it may act as the role that `tokens-svc migrate up`
-- creates, and has no other right. It can be run again.
\getenv password TOKENS_POSTGRES_PASSWORD
SELECT 'CREATE ROLE tokens_serve LOGIN NOINHERIT'
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tokens_serve') \gexec
ALTER ROLE tokens_serve PASSWORD :'password';
GRANT quayside_tokens TO tokens_serve;
