#!/bin/sh
# Creates Temporal's two databases and updates their schemas. Running it again changes nothing.
set -eu
SQL_PASSWORD="$(cat /run/secrets/postgres_password)"
export SQL_PASSWORD
for pair in temporal:temporal temporal_visibility:visibility; do
  database="${pair%%:*}"
  tool() { temporal-sql-tool --plugin postgres12 --endpoint postgresql --port 5432 --user temporal --database "$database" "$@"; }
  tool create-database
  tool setup-schema --version 0.0 2>/dev/null || true
  tool update-schema --schema-dir "/etc/temporal/schema/postgresql/v12/${pair##*:}/versioned"
done
