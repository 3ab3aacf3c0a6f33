import { failCalls } from './torture/system-calls.ts';
import { killExactly } from './torture/exact-kills.ts';
import { seeded } from '../test/support/random.ts';
process.env.NO_PROXY='127.0.0.1';
console.log(await killExactly(4, seeded(1)));
const n=Number(process.argv[2]);
console.log(await failCalls(n, seeded(Number(process.argv[3]))));
