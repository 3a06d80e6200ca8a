import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyRollup } from '@switchyard/rollup/internal';
import { rollupFields, rollupProcess } from '@switchyard/rollup/node';
import { EXIT, errorLine, processWorld, type World } from '@switchyard/service';
import { BadOptions } from '../bad-options.ts';
import { definedRollup, statedIn } from '../defined-rollup.ts';
import { holdDirectory } from '../directory.ts';
import { localNetwork } from '../local-network.ts';
import type { LocalNetwork } from '../network.ts';
import { Builds } from './builds.ts';
import { compilations, compilerIn } from './compiler.ts';

/** Files of a project that is developed. */
export interface Development {
  /** Directory of the project, which has `src`, `tsconfig.json` and `genesis.json`. */
  readonly project: string;
  /** The compiled module of the definition, such as `dist/counter.js`. */
  readonly definition: string;
  /** Directory of a page for users in the project, which the node serves at `/`. */
  readonly pages?: string;
  /** Origins that the page may call besides the node, such as that of an explorer. */
  readonly connectTo?: readonly string[];
}

/** Ports of a local network, to which `SWITCHYARD_PORT_OFFSET` is added. */
const PORTS = { rollup: 3030, sequencer: 26_657 } as const;

/**
 * Runs a rollup of schemas in a local network inside this process, and the rollup again whenever its sources change, on the state that it
 * has. The argument `reset` deletes that state instead.
 * @example
 * ```ts
 * await develop({ project: import.meta.dirname, definition: 'dist/counter.js' });
 * ```
 */
export async function develop(development: Development, world: World = processWorld()): Promise<void> {
  const write = world.stdout ?? ((text: string) => void process.stdout.write(text));
  const say = (text: string) => write(`${text}\n`);
  try {
    const [verb, ...rest] = world.args;
    if (rest.length > 0 || (verb !== undefined && verb !== 'reset'))
      throw new BadOptions(`expected no argument or reset, got ${world.args.join(' ')}`);
    if (verb === 'reset') reset(development, say);
    else await run(development, world, say);
    world.exit(EXIT.ok);
  } catch (error) {
    world.stderr(`${errorLine(error)}\n`);
    world.exit(error instanceof BadOptions ? EXIT.usage : EXIT.failed);
  }
}

const getState = (project: string): string => join(project, '.switchyard');

function reset({ project }: Development, say: Say): void {
  const directory = getState(project);
  if (!existsSync(directory)) {
    say('there is no state yet');
    return;
  }
  // Throws if a network has it.
  holdDirectory(directory).release();
  rmSync(directory, { recursive: true, force: true });
  say('the state is deleted: npm start begins a new chain');
}

async function run(development: Development, world: World, say: Say): Promise<void> {
  const { project, definition, pages, connectTo } = development;
  const genesis = readFileSync(join(project, 'genesis.json'), 'utf8');
  const offset = getOffset(world);
  const compiler = compilerIn(project);
  if (compiler === undefined) throw new BadOptions('node_modules/typescript: is absent: run npm install first');

  const stopping = new AbortController();
  world.onSignal((why) => stopping.abort(why));
  const builds = new Builds(project, definition);
  const page = pages === undefined ? undefined : join(project, pages);
  let current: AnyRollup | undefined;
  let network: LocalNetwork | undefined;
  const report = reporter(say);
  try {
    const places = ['src', ...(pages === undefined ? [] : [pages])];
    for await (const { step, succeeded, printed } of compilations(compiler, project, places, stopping.signal)) {
      if (!succeeded) say(`${printed}${step === 'emit' ? 'the running version continues' : 'it runs nevertheless'}`);
      if (!succeeded || step === 'check') continue;
      const begun = performance.now();
      const next = await builds.load().catch((error: unknown) => say(errorLine(error)));
      if (next === undefined) continue;
      current = next;
      const { name, paysWithdrawals } = statedIn(next, genesis);
      if (network !== undefined) {
        if (await restart(network, name, report, say))
          say(`${name} runs the change, ${Math.round(performance.now() - begun)} ms after it was compiled`);
        continue;
      }
      const process: ReturnType<typeof rollupProcess> = {
        ...{ name, fields: rollupFields },
        main: (config, context) =>
          rollupProcess(current ?? next, { pages: page, connectTo, onAdopted: say }).main(config, context),
      };
      keepGenesis(getState(project), genesis);
      network = await localNetwork({
        ...{ rollups: [definedRollup(next, genesis, { process })], directory: getState(project) },
        withdrawals: paysWithdrawals,
        note: say,
        listen: { [name]: { http: PORTS.rollup + offset }, sequencer: { rpc: PORTS.sequencer + offset } },
      });
      report(network.failed);
      const url = network.urls[name]?.http;
      say(`${name} has its page at ${url}, its API at ${url}/docs, its sequencer at ${network.urls.sequencer?.rpc}`);
      say('changes of src are taken over when they are saved; Ctrl+C stops the network and keeps its state');
    }
  } finally {
    await network?.close();
    builds.removeAll();
  }
}

/** Starts the rollup again, and the parts ended by its failure. @returns whether it runs. */
async function restart(network: LocalNetwork, name: string, report: Report, say: Say): Promise<boolean> {
  await network.stop(name);
  try {
    for (const part of [name, ...network.parts]) {
      if (network.isRunning(part)) continue;
      const started = network.start(part);
      report(network.failed);
      await started;
    }
    return true;
  } catch (error) {
    if (!network.failed.aborted) say(errorLine(error));
    say('put it back, or begin a new chain: Ctrl+C, then npm run reset');
    return false;
  }
}

type Say = (text: string) => void;
type Report = (failed: AbortSignal) => void;

/** Shows why a part has ended, such as the bug of a handler. */
function reporter(say: Say): Report {
  const followed = new WeakSet<AbortSignal>();
  return (failed) => {
    if (followed.has(failed)) return;
    followed.add(failed);
    failed.addEventListener('abort', () => say(errorLine(failed.reason)), { once: true });
  };
}

/** @throws {BadOptions} if the state was begun with another genesis. */
function keepGenesis(directory: string, genesis: string): void {
  const file = join(directory, 'begun-with.json');
  if (!existsSync(file)) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(file, genesis);
  } else if (readFileSync(file, 'utf8') !== genesis) {
    throw new BadOptions('genesis.json: the state was begun with another one: put it back, or npm run reset');
  }
}

function getOffset({ env }: World): number {
  const text = env.SWITCHYARD_PORT_OFFSET ?? '';
  if (!/^\d{0,5}$/.test(text))
    throw new BadOptions(`SWITCHYARD_PORT_OFFSET: expected a whole number, got ${JSON.stringify(text)}`);
  return Number(text);
}
