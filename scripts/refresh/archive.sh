#!/usr/bin/env bash
# Packs the site for download, if this version of the command line can.
set -euo pipefail
. "$(dirname "$0")/settings.sh"

mkdir -p "$work"
case $(gamedata --help) in
  *$'\n  archive '*) gamedata archive "$site" --out "$work/archive" ;;
  *) echo 'this version makes no archives' ;;
esac
