import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messenger } from '../rollups.ts';
import { messengerWorkload } from './messenger-workload.ts';
import { runSeed } from './run.ts';
import { compose } from './stack.ts';

const directory = mkdtempSync(join(tmpdir(), 'sim-'));
const composition = await compose(messenger());
const [, , from = '1', to = from, heights = '100', faults] = process.argv;
for (let seed = Number(from); seed <= Number(to); seed += 1) {
  const begin = performance.now();
  const result = await runSeed({
    composition,
    workload: messengerWorkload,
    seed,
    heights: Number(heights),
    directory,
    ...(faults !== undefined && { faults: faults === '' ? [] : (faults.split(',') as never) }),
    note: (line) => console.log(line),
  });
  const { logs, ...rest } = result;
  console.log(rest, performance.now() - begin);
  if (rest.violations.length > 0 && process.env.LOGS)
    for (const label of Object.keys(logs)) console.log(label, logs[label]?.slice(-40));
}
rmSync(directory, { recursive: true });
