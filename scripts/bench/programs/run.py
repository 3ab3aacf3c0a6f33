"""Runs programs one at a time, as lines of JSON on stdin ask for, and answers with their time and peak memory."""

import json
import os
import sys
import time

OUTPUT = os.O_WRONLY | os.O_CREAT | os.O_TRUNC

for line in sys.stdin:
    job = json.loads(line)
    os.chdir(job["cwd"])
    files = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, job["stdout"], OUTPUT, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, job["stderr"], OUTPUT, 0o600),
    ]
    started = time.perf_counter()
    pid = os.posix_spawnp(job["command"][0], job["command"], job["env"], file_actions=files)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - started
    # Linux counts ru_maxrss in kilobytes.
    answer = {
        "seconds": seconds,
        "cpuSeconds": usage.ru_utime + usage.ru_stime,
        "megabytes": usage.ru_maxrss / 1024,
        "code": os.waitstatus_to_exitcode(status),
    }
    print(json.dumps(answer), flush=True)
