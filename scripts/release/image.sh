#!/usr/bin/env bash
# With --push, builds the image of the bundled data for two architectures, pushes the
# image to REGISTRY, and writes its digest to GITHUB_OUTPUT.
set -euo pipefail

# People paste variables with a line break.
REGISTRY=$(node -p 'process.argv[1].trim()' -- "$REGISTRY")
image="$REGISTRY/${GITHUB_REPOSITORY,,}"
if [ "${1:-}" != --push ]; then
  echo "usage: $0 --push"
  echo "Pushes $image:${GITHUB_REF_NAME#v} and $image:latest"
  exit 0
fi
work=${RELEASE_WORK:-.cache/release}
mkdir -p "$work"
docker login "$REGISTRY" --username "$GITHUB_ACTOR" --password-stdin <<< "$GH_TOKEN"
docker buildx create --use
docker buildx build . --push --platform linux/amd64,linux/arm64 --metadata-file "$work/image.json" \
  --build-arg SOURCE=snapshot \
  --label "org.opencontainers.image.source=${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY" \
  --tag "$image:${GITHUB_REF_NAME#v}" --tag "$image:latest"
digest=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1]))["containerimage.digest"]' "$work/image.json")
printf 'name=%s\ndigest=%s\n' "$image" "$digest" | tee -a "${GITHUB_OUTPUT:-/dev/null}"
