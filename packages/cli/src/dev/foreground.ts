import type { World } from '../cli.ts';
import { Failure } from '../failure.ts';
import { banner } from './banner.ts';
import type { InstancePaths } from './home.ts';
import { overviewOf } from './overview.ts';
import { createPrinter } from './printing.ts';
import { programsFor } from './programs.ts';
import { nameDisagreement } from './setconfig.ts';
import { type RunningInstance, startInstance } from './start.ts';
import type { SupervisorEvent } from './supervisor/events.ts';

export interface ForegroundOptions {
  readonly paths: InstancePaths;
  readonly network: string;
  /** Nobody watches: what cannot go on ends. */
  readonly headless: boolean;
  /** Only the machine-readable line. */
  readonly json: boolean;
  readonly world: World;
}

export type End =
  | { readonly kind: 'asked'; readonly why: string }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Runs an instance until somebody asks it to end: prints what services say, the banner once all are ready, and after
 * it one line `ready {json}` for programs.
 */
export async function runInForeground(options: ForegroundOptions): Promise<End> {
  const { paths, network, world, json, headless } = options;
  const asked = new Promise<End>((resolve) => world.onStop((why) => resolve({ kind: 'asked', why })));
  const colour = world.stdout.isTTY === true && !headless && (world.env.NO_COLOR ?? '') === '';
  // Events of the first moments come before the names of the services, and with them the prefix, are known.
  let hear: (event: SupervisorEvent) => void = () => {};
  const early: SupervisorEvent[] = [];
  hear = (event) => early.push(event);
  const running = await startInstance({
    paths,
    network,
    env: world.env,
    onEvent: (event) => hear(event),
    onNotice: (line) => world.stderr.write(`${line}\n`),
  });
  const printer = createPrinter(
    sinkOf(world, json),
    running.services.map(({ name }) => name),
    { colour },
  );
  hear = printer.event;
  for (const event of early) printer.event(event);
  const disagreement = nameDisagreement(paths, running.instance.network.rollupName);
  if (disagreement !== undefined) world.stderr.write(`${disagreement}\n`);

  const end = await Promise.race([asked, whenFailed(running, headless), announce(running, options)]);
  if (end.kind === 'asked') printer.say(`stopping (${end.why})`);
  const began = performance.now();
  await running.stop();
  printer.say(`all services stopped after ${Math.round(performance.now() - began)} ms`);
  return end;
}

/** Prints banner and `ready` line when all is up. Resolves only when that fails: otherwise the network goes on. */
async function announce(running: RunningInstance, { world, json }: ForegroundOptions): Promise<End> {
  try {
    await running.supervisor.ready();
  } catch (error) {
    if (error instanceof Failure) return { kind: 'failed', reason: error.message };
    throw error;
  }
  const overview = await overviewOf(running);
  if (!json) world.stdout.write(`${banner(overview, programsFor(world.env, world.directory)).join('\n')}\n`);
  world.stdout.write(`ready ${JSON.stringify(overview)}\n`);
  return new Promise(() => {});
}

/**
 * A service that is given up ends a run that nobody watches; a person may prefer to look at the others. When none is
 * left there is nothing to look at.
 */
function whenFailed({ supervisor }: RunningInstance, headless: boolean): Promise<End> {
  return new Promise((resolve) => {
    supervisor.on((event) => {
      if (event.kind !== 'failed' && event.kind !== 'finished') return;
      const over = supervisor.status().every(({ state }) => state === 'failed' || state === 'finished');
      const failed = supervisor.failure();
      if (failed !== undefined && (headless || over)) resolve({ kind: 'failed', reason: failed.message });
      else if (over) resolve({ kind: 'asked', why: 'every service has done its work' });
    });
  });
}

function sinkOf({ stdout }: World, json: boolean): Parameters<typeof createPrinter>[0] {
  return {
    write: (text) => {
      if (!json) stdout.write(text);
    },
    get waiting() {
      return stdout.writableLength ?? 0;
    },
  };
}
