/** Takes the lock of a folder, as a process of its own that then lives until it is killed: `tsx take-lock.ts <folder>`. */

import { acquireLock } from '../../src/publish/lock.ts';
import { workFolders } from '../../src/publish/work-folders.ts';

acquireLock(workFolders(process.argv[2] ?? ''));
console.log('taken');
setInterval(() => {}, 1e6);
