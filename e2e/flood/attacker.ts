import { setMaxListeners } from 'node:events';
import type { Material, Ports } from './attack.ts';
import { KINDS } from './kinds.ts';

/**
 * One attack, in a process of its own. Its only argument is an `AttackJob` as JSON. It is bounded in time on its own, and
 * in memory by what Node allows it. Prints the number of its actions.
 */
export interface AttackJob {
  readonly kind: string;
  readonly ports: Ports;
  readonly from: string;
  readonly seconds: number;
  readonly material: Material;
}

// Written by the flood itself.
const job = JSON.parse(process.argv[2] ?? '') as AttackJob;
const kind = KINDS.find(({ name }) => name === job.kind);
if (kind === undefined) throw new Error(`there is no flood ${job.kind}`);
// Streams and sockets of an attacker fail at any time; these errors are expected.
process.on('uncaughtException', () => undefined);
const over = new AbortController();
setMaxListeners(0, over.signal);
setTimeout(() => over.abort(), job.seconds * 1_000);
let count = 0;
const { ports, from, material } = job;
const report = (): never => {
  console.log(String(count));
  process.exit(0);
};
// Anything that still hangs after the end is not waited for.
over.signal.addEventListener('abort', () => setTimeout(report, 500));
await kind.attack({
  ports,
  from,
  material,
  over: over.signal,
  count: (what = 1) => {
    count += what;
  },
});
if (over.signal.aborted) report();
