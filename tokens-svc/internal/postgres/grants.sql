-- The rights of serve's login, {login}: it uses the tables, appends to
-- audit_events, and neither alters tables nor removes or changes what is kept for
-- good. A new table needs a line here. Rights that it got elsewhere go.
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {login};
GRANT SELECT, INSERT ON audit_events, changes TO {login};
GRANT SELECT, INSERT, UPDATE ON api_tokens, audit_heads, organizations, users TO {login};
GRANT SELECT, UPDATE ON revision TO {login};
GRANT SELECT, INSERT, UPDATE, DELETE ON
    identities, idempotency_keys, invitations, mails, memberships, sessions, sign_in_attempts, token_errors,
    token_usage
    TO {login};
