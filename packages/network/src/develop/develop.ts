import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rollupFields, rollupProcess } from '@switchyard/rollup';
import type { AnyRollup } from '@switchyard/rollup/define';
import { EXIT, errorLine, processWorld, type World } from '@switchyard/service';
import { BadOptions } from '../bad-options.ts';
import { definedRollup, statedIn } from '../defined-rollup.ts';
import { holdDirectory } from '../directory.ts';
import { localNetwork } from '../local-network.ts';
import type { LocalNetwork } from '../network.ts';
import { Builds } from './builds.ts';
import { type Compiled, compilerIn, watchProject } from './compiler.ts';

export interface Development {
  /** Directory of the project, which has `src`, `tsconfig.json` and `genesis.json`. */
  readonly project: string;
  /** The compiled module of the definition, such as `dist/counter.js`. */
  readonly definition: string;
  /** Directory of a page for users in the project, which the node serves at `/`. */
  readonly pages?: string;
}

/** Ports of a local network, to which `SWITCHYARD_PORT_OFFSET` is added. */
const PORTS = { rollup: 3030, sequencer: 26_657 } as const;

/**
 * Runs a rollup of schemas in a local network inside this process, and the rollup anew whenever its sources change, on the state that it
 * has. The argument `reset` deletes that state instead.
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

const stateOf = (project: string): string => join(project, '.switchyard');

function reset({ project }: Development, say: (text: string) => void): void {
  const directory = stateOf(project);
  if (!existsSync(directory)) return say('there is no state yet');
  // Throws where a network has it.
  holdDirectory(directory).release();
  rmSync(directory, { recursive: true, force: true });
  say('the state is deleted: npm start begins a new chain');
}

async function run(development: Development, world: World, say: (text: string) => void): Promise<void> {
  const { project, definition, pages } = development;
  const genesis = readFileSync(join(project, 'genesis.json'), 'utf8');
  const { name, withdrawals } = statedIn(genesis);
  const offset = offsetOf(world);
  const compiler = compilerIn(project);
  if (compiler === undefined) throw new BadOptions('node_modules/typescript: is absent: run npm install first');

  const { compilations, close } = watchProject(compiler, project);
  world.onSignal(close);
  const builds = new Builds(project, definition);
  try {
    const turns = compilations[Symbol.asyncIterator]();
    const first = await firstBuild(turns, builds, say);
    if (first === undefined) return;
    let current = first;
    const page = pages === undefined ? undefined : join(project, pages);
    const process: ReturnType<typeof rollupProcess> = {
      ...{ name, fields: rollupFields },
      main: (config, context) => rollupProcess(current, { pages: page }).main(config, context),
    };
    const own = definedRollup(current, genesis, { process });
    keepGenesis(stateOf(project), genesis);
    await using network = await localNetwork({
      ...{ rollups: [own], directory: stateOf(project), withdrawals: withdrawals.length > 0 },
      listen: { [name]: { http: PORTS.rollup + offset }, sequencer: { rpc: PORTS.sequencer + offset } },
    });
    const url = network.urls[name]?.http ?? '';
    say(`${name} at ${url}, its API at ${url}/docs, its sequencer at ${network.urls.sequencer?.rpc}`);
    say('changes of src are taken over when they are saved; Ctrl+C stops the network and keeps its state');
    report(network, say);
    for (let turn = await turns.next(); turn.done !== true; turn = await turns.next()) {
      if (hasErrors(turn.value, say)) continue;
      const begun = performance.now();
      const next = await builds.load().catch((error: unknown) => say(errorLine(error)));
      if (next === undefined) continue;
      current = next;
      await restart(network, name, say);
      say(`${name} runs the change, ${Math.round(performance.now() - begun)} ms after it was compiled`);
    }
  } finally {
    close();
    builds.removeAll();
  }
}

/** The definition once it compiles; undefined where the compiler ends before. */
async function firstBuild(
  turns: AsyncIterator<Compiled>,
  builds: Builds,
  say: (text: string) => void,
): Promise<AnyRollup | undefined> {
  for (let turn = await turns.next(); turn.done !== true; turn = await turns.next()) {
    if (!hasErrors(turn.value, say)) return builds.load();
  }
  return undefined;
}

function hasErrors({ errors, lines }: Compiled, say: (text: string) => void): boolean {
  if (errors === 0) return false;
  for (const line of lines) say(line);
  say(`${errors} errors: what runs stays as it is until they are gone`);
  return true;
}

/** Starts the rollup anew, and whatever a failure of it has ended. */
async function restart(network: LocalNetwork, name: string, say: (text: string) => void): Promise<void> {
  await network.stop(name);
  try {
    await network.start(name);
    for (const part of network.parts) if (!network.isRunning(part)) await network.start(part);
  } catch (error) {
    say(errorLine(error));
    say('to begin a new chain: Ctrl+C, then npm run reset');
  }
  report(network, say);
}

/** Shows why a part has ended, such as the bug of a handler. */
function report({ failed }: LocalNetwork, say: (text: string) => void): void {
  failed.addEventListener('abort', () => say(errorLine(failed.reason)), { once: true });
}

/** @throws {BadOptions} where the state was begun with another genesis. */
function keepGenesis(directory: string, genesis: string): void {
  const file = join(directory, 'begun-with.json');
  if (!existsSync(file)) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(file, genesis);
  } else if (readFileSync(file, 'utf8') !== genesis) {
    throw new BadOptions('genesis.json: the state was begun with another one: put it back, or npm run reset');
  }
}

function offsetOf({ env }: World): number {
  const text = env.SWITCHYARD_PORT_OFFSET ?? '';
  if (!/^\d{0,5}$/.test(text))
    throw new BadOptions(`SWITCHYARD_PORT_OFFSET: expected a whole number, got ${JSON.stringify(text)}`);
  return Number(text);
}
