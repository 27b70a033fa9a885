#!/usr/bin/env bash
# Writes new secrets for docker compose into a new folder: secrets.sh FOLDER
#
# The folder is for its owner only. The files in it are readable, because the
# containers that they are mounted into run as other users.
set -euo pipefail
[ $# = 1 ] || { echo "usage: secrets.sh FOLDER" >&2; exit 2; }
umask 077
mkdir "$1"
cd "$1"
for name in postgres_password tokens_password shipments_password gateway_credential; do
  openssl rand -hex 32 | tr -d '\n' >$name
done
for name in token_peppers audit_keys webhook_keys; do
  printf '1:%s' "$(openssl rand -base64 32)" >$name
done
openssl genpkey -algorithm ed25519 >gateway_signing_key
openssl pkey -pubout <gateway_signing_key >gateway_public_keys
url() { printf 'postgres://%s:%s@postgres:5432/%s?sslmode=disable' "$1" "$(cat "$2")" "$3"; }
url tokens_serve tokens_password tokens >tokens_database_url
url quayside postgres_password tokens >tokens_migrate_url
url shipments_serve shipments_password shipments >shipments_database_url
url quayside postgres_password shipments >shipments_migrate_url
chmod 444 -- *
