/** Takes the lock of a folder, as a process of its own: `tsx take-lock.ts <folder>`. */

import { acquireLock } from '../../src/publish/lock.ts';
import { workFolders } from '../../src/publish/work-folders.ts';

acquireLock(workFolders(process.argv[2] ?? ''));
