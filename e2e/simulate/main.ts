import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { FAULTS, type FaultName, type RunResult, SimulationFailed } from '@switchyard/network/simulate';
import { numberIn } from '../chaos/options.ts';
import { getRollup, ROLLUPS, type RollupName, simulateRollup } from './rollups.ts';

const HELP = `usage: npm run sim -- [options]

Runs networks of the messenger or of the EVM whose time, links and disks are simulated through faults, and checks that nothing which was
acknowledged is lost or executed twice, that all nodes have the same blocks, and that everything becomes ready again. A seed
decides everything: the same one does the same in every run. The first failing seed is shrunk and shown with the command that
repeats it.

  --rollup NAME   ${ROLLUPS.join(' or ')} (default: the EVM in every fifth seed)
  --seeds N       number of seeds, from 1 on (default 100)
  --seed N        one seed, in this process, with each fault in a line; node --inspect-brk e2e/dist/simulate/main.js debugs it
  --heights N     blocks of the sequencer with faults in each seed (default 100)
  --faults LIST   comma-separated (default: all): ${FAULTS.join(', ')}
  --only LIST     comma-separated names of the only steps that are taken, as a failure has them
  --threads N     seeds that run beside each other (default: processors)`;

interface Options {
  readonly rollup: RollupName | undefined;
  readonly seeds: number;
  readonly seed: number | undefined;
  readonly heights: number;
  readonly faults: readonly FaultName[];
  readonly only: readonly string[] | undefined;
  readonly threads: number;
}

function optionsOrExit(): Options {
  try {
    const { values } = parseArgs({
      options: {
        rollup: { type: 'string' },
        seeds: { type: 'string', default: '100' },
        seed: { type: 'string' },
        heights: { type: 'string', default: '100' },
        faults: { type: 'string', default: FAULTS.join(',') },
        only: { type: 'string' },
        threads: { type: 'string', default: String(availableParallelism()) },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    return {
      rollup: values.rollup === undefined ? undefined : oneOf('rollup', ROLLUPS, values.rollup),
      seeds: numberIn('seeds', values.seeds, 1, 1_000_000),
      seed: values.seed === undefined ? undefined : numberIn('seed', values.seed, 0, 2 ** 31),
      heights: numberIn('heights', values.heights, 1, 1_000_000),
      faults: getKinds(values.faults ?? ''),
      only: values.only?.split(','),
      threads: numberIn('threads', values.threads, 1, 256),
    };
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}

const getKinds = (list: string): readonly FaultName[] =>
  list === '' ? [] : list.split(',').map((name) => oneOf('faults', FAULTS, name));

function oneOf<const Name extends string>(option: string, known: readonly Name[], name: string): Name {
  const found = known.find((each) => each === name);
  if (found === undefined)
    throw new RangeError(`--${option}: there is no ${name}: expected some of ${known.join(', ')}`);
  return found;
}

/** Runs seeds in threads until all are done or one has failed. */
async function inThreads({ rollup, seeds, heights, faults, threads }: Options): Promise<readonly RunResult[]> {
  const results: RunResult[] = [];
  const program = new URL('./thread.js', import.meta.url);
  const count = Math.min(threads, seeds);
  const workers = Array.from({ length: count }, (_, index) => {
    const own = Array.from({ length: seeds }, (_none, seed) => seed + 1).filter((seed) => seed % count === index);
    return new Worker(program, { workerData: { rollup, seeds: own, heights, faults } });
  });
  const isDone = workers.map(
    (worker) =>
      new Promise<void>((resolve, reject) => {
        worker.on('message', (result: RunResult) => {
          results.push(result);
          if (results.length % 50 === 0) console.log(`${results.length} seeds`);
          if (result.violations.length > 0) for (const each of workers) void each.terminate();
        });
        worker.once('error', reject);
        worker.once('exit', () => resolve());
      }),
  );
  await Promise.all(isDone);
  return results;
}

const options = optionsOrExit();
const { rollup, seed: one, heights, faults, only } = options;
const began = performance.now();

/** Runs one seed here. @returns its failure. */
async function toFailure(seed: number, note?: (line: string) => void) {
  try {
    const given = { heights, faults, seeds: [seed], ...(only && { only }), ...(note && { note }) };
    const results = await simulateRollup(rollup ?? getRollup(seed), given);
    if (note !== undefined) for (const { logs, steps, ...result } of results) console.log(result);
    return undefined;
  } catch (error) {
    if (error instanceof SimulationFailed) return error;
    throw error;
  }
}

const results = one === undefined ? await inThreads(options) : [];
const failed = one ?? results.find(({ violations }) => violations.length > 0)?.seed;
const failure = failed === undefined ? undefined : await toFailure(failed, one === undefined ? undefined : console.log);
if (failure !== undefined && failed !== undefined) {
  const { only: fewest = [] } = failure.smallest;
  const again = `--rollup ${rollup ?? getRollup(failed)} --seed ${failed} --heights ${heights} --faults ${faults.join(',')}`;
  console.error(`${failure.message}\nrepeat it with: npm run sim -- ${again} --only "${fewest.join(',')}"`);
}
const sum = (item: (result: RunResult) => number) => results.reduce((total, result) => total + item(result), 0);
if (one === undefined) {
  const hours = (sum(({ simulatedMs }) => simulatedMs) / 3_600_000).toFixed(1);
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(
    `sim: ${results.length} seeds, ${sum(({ blocks }) => blocks)} blocks, ${sum(({ faults: count }) => count)} faults, ` +
      `${sum(({ acknowledged }) => acknowledged)} acknowledged, ${sum(({ activity: { bundles = 0 } }) => bundles)} bundles, ${hours} simulated hours in ${seconds} s, ${failure === undefined ? 'no' : 'one'} failing seed`,
  );
}
// A thread that ended before its seeds were done has shown none to hold.
const isWhole = one !== undefined || results.length === options.seeds;
if (failure === undefined && !isWhole) console.error(`${options.seeds - results.length} seeds were not run`);
process.exit(failure === undefined && isWhole ? 0 : 1);
