#!/usr/bin/env bash
# Writes new secrets for docker compose into a new folder: secrets.sh FOLDER
#
# The folder is for its owner only. The files in it are readable, because the
# containers that they are mounted into run as other users.
set -euo pipefail
[ $# = 1 ] || { echo "usage: secrets.sh FOLDER" >&2; exit 2; }
! [ -e "$1" ] || { echo "secrets.sh: $1 exists" >&2; exit 1; }
new=$(mktemp -d "${1%/}.XXXXXX")
trap 'rm -rf "$new"' EXIT # until it has its name: the folder has all files or does not exist
pushd "$new" >/dev/null
for name in postgres_password tokens_password shipments_password gateway_credential; do
  openssl rand -hex 32 | tr -d '\n' >$name
done
for name in token_peppers totp_keys webhook_keys; do
  key=$(openssl rand -base64 32)
  printf '1:%s' "$key" >$name
done
openssl genpkey -algorithm ed25519 >gateway_signing_key
openssl pkey -pubout <gateway_signing_key >gateway_public_keys
url() { printf 'postgres://%s:%s@%s/%s?sslmode=disable' "$1" "$(cat "$2")" "$3" "$4"; }
url tokens_serve tokens_password postgres:5432 tokens >tokens_database_url
url tokens_serve tokens_password pgbouncer:6432 tokens >tokens_pooled_url
url quayside postgres_password postgres:5432 tokens >tokens_migrate_url
url shipments_serve shipments_password postgres:5432 shipments >shipments_database_url
url shipments_serve shipments_password pgbouncer:6432 shipments >shipments_pooled_url
url quayside postgres_password postgres:5432 shipments >shipments_migrate_url
chmod 444 -- *
popd >/dev/null
mv -T "$new" "$1"
