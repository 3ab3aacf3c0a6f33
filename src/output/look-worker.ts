/** The second thread that looks at published files. */

import { workerData } from 'node:worker_threads';
import { lookFromEnd } from './untouched.ts';

lookFromEnd(workerData);
