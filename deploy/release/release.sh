#!/usr/bin/env bash
# Builds a release of HEAD into a folder: for each platform an archive of the
# three programs, for each program a CycloneDX SBOM, and SHA256SUMS.
#
#   release.sh [VERSION [FOLDER]]   VERSION is the tag of HEAD by default, FOLDER dist
#   release.sh check [VERSION]      builds twice, with empty build caches and in different folders, and compares
#
# The files depend on the commit, the version, the Go release and nothing else:
# they are built from `git archive` and carry the time of the commit.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
export TZ=UTC LC_ALL=C GOWORK=off CGO_ENABLED=0 GOFLAGS=-trimpath GOTOOLCHAIN=local
PLATFORMS="linux/amd64 linux/arm64"
REVISION=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)

version() {
  git describe --exact-match --tags --match 'v[0-9]*' 2>/dev/null ||
    { echo "release.sh: HEAD has no tag such as v1.2.3; give a version" >&2; exit 2; }
}

# build VERSION FOLDER
build() {
  local version=$1 out source os arch name program info
  [[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || { echo "release.sh: $version is no version such as v1.2.3" >&2; exit 2; }
  mkdir -p "$2"
  out=$(realpath "$2")
  [ -z "$(ls -A "$out")" ] || { echo "release.sh: $2 is not empty" >&2; exit 2; }
  source=$(mktemp -d)
  trap "rm -rf '$source'" EXIT
  git archive HEAD | tar -x -C "$source"
  go build -C "$source/deploy/tools/cyclonedx" -o "$source/cyclonedx-gomod" github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
  for platform in $PLATFORMS; do
    os=${platform%/*} arch=${platform#*/} name=quayside_${version}_${platform/\//_}
    mkdir "$source/$name"
    cp -r "$source"/{LICENSE,CHANGELOG.md,gateway/Caddyfile,gateway/routes} "$source/$name/"
    for program in gateway shipments-svc tokens-svc; do
      info=github.com/quayside/quayside/gateway/servicekit/buildinfo
      [ $program != gateway ] || info=github.com/quayside/quayside/gateway/internal/buildinfo
      GOOS=$os GOARCH=$arch go build -C "$source/$program" -buildvcs=false \
        -ldflags "-s -w -X $info.version=$version -X $info.revision=$REVISION" -o "$source/$name/$program" "./cmd/$program"
      "$source/cyclonedx-gomod" bin -json -std -noserial -version "$version" "$source/$name/$program" |
        sed "s/\"timestamp\": \"[^\"]*\"/\"timestamp\": \"$(date -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)\"/" \
          >"$out/${program}_${version}_${os}_$arch.cdx.json"
    done
    tar -C "$source" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode='u+rw,go=rX' \
      --format=ustar -c "$name" | gzip -n9 >"$out/$name.tar.gz"
  done
  (cd "$out" && sha256sum -- *.tar.gz *.cdx.json >SHA256SUMS)
  rm -rf "$source"
}

if [ "${1:-}" = check ]; then
  version=${2:-$(version)}
  folders=$(mktemp -d)
  for n in 1 22; do
    GOCACHE=$folders/cache "$0" "$version" "$folders/$n"
    rm -rf "$folders/cache"
  done
  diff "$folders/1/SHA256SUMS" "$folders/22/SHA256SUMS" && (cd "$folders/22" && sha256sum --check --quiet SHA256SUMS)
  echo "both builds are equal:" && cat "$folders/1/SHA256SUMS"
  rm -rf "$folders"
else
  build "${1:-$(version)}" "${2:-dist}"
fi
