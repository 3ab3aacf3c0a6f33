"""Runs a build, and looks meanwhile whether files of its site are there: prints how often one was not.

Arguments: the folder of the site, then the command.
"""

import json
import os
import sys

site, *command = sys.argv[1:]
with open(os.path.join(site, "manifest.json"), encoding="utf-8") as manifest:
    paths = [entry["path"] for entry in json.load(manifest)["files"]]
watched = ["manifest.json", *(path for path in paths if "/" not in path), *paths[:: len(paths) // 40]]
places = [os.path.join(site, path) for path in watched]

null = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
build = os.posix_spawnp(command[0], command, os.environ, file_actions=null)
looks = missing = 0
while True:
    ended, status = os.waitpid(build, os.WNOHANG)
    for place in places:
        looks += 1
        missing += not os.path.exists(place)
    if ended:
        break
print(json.dumps({"looks": looks, "missing": missing}))
sys.exit(os.waitstatus_to_exitcode(status))
