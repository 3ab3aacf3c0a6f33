#!/usr/bin/env bash
# Installs the programs of the tests and benchmarks on Debian or Ubuntu: web servers and a browser from the distribution, others from npm
# into .engines. Starts no service.
set -euo pipefail
cd "$(dirname "$0")/.."

# Web servers are in /usr/sbin, which not every PATH contains.
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# <program or path>:<package of the distribution>
wanted=(nginx:nginx-light caddy:caddy apache2:apache2 wrk:wrk curl:curl openssl:openssl systemd-analyze:systemd python3:python3-minimal
  chromium:chromium sqlite3:sqlite3 jq:jq setfacl:acl
  /usr/lib/python3/dist-packages/pandas:python3-pandas)

install_packages() {
  local packages=() entry
  for entry in "${wanted[@]}"; do
    command -v "${entry%%:*}" > /dev/null || [ -e "${entry%%:*}" ] || packages+=("${entry##*:}")
  done
  [ "${#packages[@]}" -gt 0 ] || return 0

  # Forbids packages to start services: https://people.debian.org/~hmh/invokerc.d-policyrc.d-specification.txt
  local policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" > /dev/null
    as_root chmod +x "$policy"
    trap "as_root rm -f '$policy'" EXIT
  fi

  local apt_install=(env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends)
  # Updating the package lists takes long, so only after a failure.
  as_root "${apt_install[@]}" "${packages[@]}" || {
    as_root apt-get update --quiet
    as_root "${apt_install[@]}" "${packages[@]}"
  }
}

# Programs from npm. Their binaries are packages, so no install script must run.
programs=(miniflare@4.20260426.0 deno@2.9.6 @11ty/eleventy@3.1.7 openapi-typescript@7.13.0 typescript@5.9.3
  @duckdb/node-api@1.5.6-r.1)

install_programs() {
  local program manifest
  for program in "${programs[@]}"; do
    manifest=".engines/node_modules/${program%@*}/package.json"
    if ! grep -qs "\"version\": \"${program##*@}\"" "$manifest"; then
      # In one command, because npm removes packages that it does not name.
      npm install --prefix .engines --no-save --no-audit --no-fund --ignore-scripts "${programs[@]}"
      return
    fi
  done
}

install_packages
install_programs
