#!/usr/bin/env bash
# Installs the programs that the tests and benchmarks run, on Debian or Ubuntu. Web
# servers and a browser come from the distribution. The other programs come from npm,
# and are installed into .engines. Starts no services.
set -euo pipefail
cd "$(dirname "$0")/.."

# Web servers are in /usr/sbin, which not every PATH contains.
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# <program or path>:<package of the distribution>
wanted=(
  nginx:nginx-light
  caddy:caddy
  apache2:apache2
  wrk:wrk
  curl:curl
  openssl:openssl
  systemd-analyze:systemd
  python3:python3-minimal
  chromium:chromium
  sqlite3:sqlite3
  jq:jq
  setfacl:acl
  /usr/lib/python3/dist-packages/pandas:python3-pandas
)

install_packages() {
  local packages=() entry program
  for entry in "${wanted[@]}"; do
    program=${entry%%:*}
    if command -v "$program" > /dev/null || [ -e "$program" ]; then continue; fi
    packages+=("${entry##*:}")
  done
  [ "${#packages[@]}" -gt 0 ] || return 0

  # This policy forbids packages to start services:
  # https://people.debian.org/~hmh/invokerc.d-policyrc.d-specification.txt
  local policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" > /dev/null
    as_root chmod +x "$policy"
    trap "as_root rm -f '$policy'" EXIT
  fi

  local apt_install=(env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends)
  # Updating the package lists takes long, so we update them only after a failure.
  as_root "${apt_install[@]}" "${packages[@]}" || {
    as_root apt-get update --quiet
    as_root "${apt_install[@]}" "${packages[@]}"
  }
}

# Programs from npm. Their binaries are packages of their own, so no install script
# must run.
programs=(
  miniflare@4.20260426.0
  @11ty/eleventy@3.1.7
  openapi-typescript@7.13.0
  typescript@5.9.3
  @duckdb/node-api@1.5.6-r.1
)

install_programs() {
  local program manifest
  for program in "${programs[@]}"; do
    manifest=".engines/node_modules/${program%@*}/package.json"
    if ! grep -qs "\"version\": \"${program##*@}\"" "$manifest"; then
      # One command installs all programs, because npm removes those that a command
      # does not name.
      npm install --prefix .engines --no-save --no-audit --no-fund --ignore-scripts "${programs[@]}"
      return
    fi
  done
}

install_packages
install_programs
