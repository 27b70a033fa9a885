#!/bin/sh
# deploy/compose/upgrade.sh: replaces the programs by those of QUAYSIDE_VERSION without losing a request. Migrations run
# first. Then new containers of one program at a time start beside the old ones, which are stopped once these are healthy.
# If anything fails, what has been serving goes on. COMPOSE_FILE names the files of your installation, separated by colons.
set -eu
cd "$(dirname "$0")/../.."
compose() { if docker compose version >/dev/null 2>&1; then docker compose "$@"; else docker-compose "$@"; fi; }

# healthy waits until the health checks of containers succeed, for two minutes.
healthy() {
	for id in "$@"; do
		tries=0
		until [ "$(docker inspect --format '{{.State.Health.Status}}' "$id")" = healthy ]; do
			tries=$((tries + 1))
			[ $tries -lt 120 ] || return 1
			sleep 1
		done
	done
}

compose run --rm --no-deps shipments-migrate
compose run --rm --no-deps tokens-migrate
for program in tokens-svc shipments-svc gateway; do
	old=$(compose ps -q $program)
	both=$((2 * $(echo "$old" | wc -w)))
	compose up -d --no-deps --no-recreate --scale $program=$both $program
	new=$(compose ps -q $program | grep -vxF "$old")
	if ! healthy $new; then
		echo "the new $program is not healthy: it is removed, and the old one goes on" >&2
		docker rm --force $new >&2
		exit 1
	fi
	[ $program != gateway ] || sleep 3 # the balancer finds it
	docker stop -t 30 $old
	docker rm $old
done
[ ! "$(compose ps -q backup 2>/dev/null)" ] || compose up -d --no-deps backup archive # of the same version
