import type { World } from '../../cli.ts';
import { Failure } from '../../failure.ts';
import { rollupNameRemark } from '../config/setconfig.ts';
import type { InstancePaths } from '../instance/home.ts';
import { logPath } from '../logs/names.ts';
import type { Flags } from '../services/flags.ts';
import { type Overview, overviewOf } from '../status/overview.ts';
import type { SupervisorEvent } from '../supervisor/events.ts';
import { banner } from './banner.ts';
import { Handover } from './handover.ts';
import { plainScreen } from './printing.ts';
import { programsFor } from './programs.ts';
import type { Screen } from './screen.ts';
import { type RunningInstance, startInstance } from './start.ts';

export interface ForegroundOptions {
  readonly paths: InstancePaths;
  readonly network: string;
  /** Nobody watches: what cannot go on ends. */
  readonly headless: boolean;
  /** Only the machine-readable line. */
  readonly json: boolean;
  /** Started by `run --detach`: what services say is only in the log files, and one that fails later ends nothing. */
  readonly background?: boolean;
  readonly flags?: Flags;
  readonly world: World;
  /** Opens the terminal UI; absent: prefixed lines. */
  readonly openUi?: (running: RunningInstance) => Promise<Screen>;
}

export type End =
  | { readonly kind: 'asked'; readonly why: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** A start that takes longer than this is looked at in the terminal UI. */
const UI_AT_LATEST_MS = 6_000;

/**
 * Runs an instance until somebody asks it to end: shows what services say, and once all are ready a banner and one line
 * `ready {json}` for programs. Then the terminal UI takes over, where there is one; the banner is there again after it.
 */
export async function runInForeground(options: ForegroundOptions): Promise<End> {
  const { paths, network, world, json, headless, background = false, flags, openUi } = options;
  const cancel = new AbortController();
  const asked = new Promise<End>((resolve) => {
    world.onStop((why) => {
      cancel.abort(new Failure(`ended by ${why} before anything was started`));
      resolve({ kind: 'asked', why });
    });
  });
  // Events of the first moments come before there is a screen.
  const early: SupervisorEvent[] = [];
  let hear = (event: SupervisorEvent): unknown => early.push(event);
  // Notices on their own stream, so that scripts can tell them from what services say.
  let notice = (line: string): unknown => world.stderr.write(`${line}\n`);
  const running = await startInstance({
    paths,
    network,
    env: world.env,
    signal: cancel.signal,
    ...(flags === undefined ? {} : { flags }),
    onEvent: (event) => hear(event),
    onNotice: (line) => notice(line),
  });
  const names = running.services.map(({ name }) => name);
  const screen = new Handover(
    plainScreen(world, names, {
      quiet: json,
      headless: headless || background,
      lines: !background,
      logFile: (service) => logPath(paths, service),
    }),
    openUi === undefined ? undefined : () => openUi(running),
  );
  hear = (event) => screen.event(event);
  notice = (line) => (screen.isPlain ? world.stderr.write(`${line}\n`) : screen.say(line));
  for (const event of early) screen.event(event);
  const disagreement = rollupNameRemark(running.instance);
  if (disagreement !== undefined) notice(disagreement);

  let untold: Overview | undefined;
  const shown = (overview: Overview): void => {
    if (screen.isPlain) {
      if (!json && !background)
        world.stdout.write(`${banner(overview, programsFor(world.env, world.directory)).join('\n')}\n`);
      world.stdout.write(`ready ${JSON.stringify(overview)}\n`);
    } else untold = overview;
    screen.ready(overview);
  };
  // Nothing else keeps this process alive while all services are paused, or stopped one by one.
  const awake = setInterval(() => {}, 2 ** 30);
  let late: NodeJS.Timeout | undefined;
  const openedLate = new Promise<never>((_, reject) => {
    late = setTimeout(() => screen.handOver().catch(reject), UI_AT_LATEST_MS);
  });
  const asking = (why: string): End => ({ kind: 'asked', why });
  let end: End;
  try {
    end = await Promise.race([
      asked,
      screen.quit.then(asking),
      running.stopRequested.then(asking),
      whenOver(running),
      announce(running, shown, screen),
      openedLate,
    ]);
  } catch (error) {
    await running.stop();
    throw error;
  } finally {
    clearTimeout(late);
    clearInterval(awake);
    await screen.close();
  }
  if (untold !== undefined) world.stdout.write(`ready ${JSON.stringify(untold)}\n`);
  if (end.kind === 'asked') screen.say(`stopping (${end.why})`);
  const began = performance.now();
  await running.stop();
  screen.say(
    `all services stopped after ${Math.round(performance.now() - began)} ms; logs and state are in ${paths.directory}`,
  );
  return end;
}

/**
 * Tells once that all is up. Resolves only when that fails and nobody is there who could do something about it:
 * otherwise the network goes on.
 */
async function announce(running: RunningInstance, shown: (overview: Overview) => void, screen: Handover): Promise<End> {
  try {
    await running.supervisor.ready();
    shown(await overviewOf(running));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (!screen.hasUi) return { kind: 'failed', reason: error.message };
  }
  await screen.handOver();
  return new Promise(() => {});
}

/** One service that cannot run ends none of the others. When none is left there is nothing to keep up. */
function whenOver({ supervisor }: RunningInstance): Promise<End> {
  return new Promise((resolve) => {
    supervisor.on((event) => {
      if (event.kind !== 'failed' && event.kind !== 'finished') return;
      const over = supervisor.status().every(({ state }) => state === 'failed' || state === 'finished');
      const failed = supervisor.failure();
      if (failed !== undefined && over) resolve({ kind: 'failed', reason: failed.message });
      else if (over) resolve({ kind: 'asked', why: 'every service has done its work' });
    });
  });
}
