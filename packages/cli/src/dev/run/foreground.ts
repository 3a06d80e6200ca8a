import type { SupervisorEvent } from '@switchyard/network/supervisor/events';
import { wallClock } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import type { World } from '../../cli.ts';
import { logPath } from '../logs/names.ts';
import { describeNetwork } from '../start-page/descriptor.ts';
import type { Overview } from '../status/network.ts';
import { readOverview } from '../status/overview.ts';
import { banner } from './banner.ts';
import { Handover } from './handover.ts';
import { plainScreen } from './printing.ts';
import { programsFor } from './programs.ts';
import type { RunningInstance } from './running.ts';
import type { Screen } from './screen.ts';
import { type StartOptions, startInstance } from './start.ts';

export interface ForegroundOptions extends Pick<StartOptions, 'paths' | 'network' | 'flags'> {
  /** For scripts: no colours, and a service that fails permanently ends the run. */
  readonly headless: boolean;
  /** Only the machine-readable line. */
  readonly json: boolean;
  /** Started by `run --detach`: the output of services is only in the log files, and a later failure ends nothing. */
  readonly background?: boolean;
  readonly world: World;
  /** Called once all services are ready. */
  readonly onReady?: (network: Overview) => void;
  /** Opens the terminal UI; absent: prefixed lines. */
  readonly openUi?: (running: RunningInstance) => Promise<Screen>;
}

type End = { readonly kind: 'asked'; readonly why: string } | { readonly kind: 'failed'; readonly reason: string };

/** After this long, an unfinished start is shown in the terminal UI. */
const UI_AT_LATEST_MS = 6_000;
/** Twelve days; the timer repeats. */
const KEEP_AWAKE_MS = 2 ** 30;

/**
 * Runs an instance until a request ends it: prints the output of services, and once all are ready a banner, or one line
 * `ready {json}` for programs. Then the terminal UI takes over, if there is one; plain lines return after it.
 */
export async function runInForeground(options: ForegroundOptions): Promise<End> {
  const { paths, network, world, flags, openUi } = options;
  const { signal, stopped } = stopSignal(world);
  const feed = eventFeed(world.stderr);
  const running = await startInstance({
    paths,
    network,
    env: world.env,
    programs: programsFor(world.env, world.directory),
    signal,
    isWatched: options.background === true,
    ...(flags === undefined ? {} : { flags }),
    onEvent: (event) => feed.event(event),
    onNotice: (line) => feed.notice(line),
    onHost: (take) => world.onUnhandled?.(take),
  });
  const screen = new Handover(plainOutput(options, running), openUi === undefined ? undefined : () => openUi(running));
  screen.say(`starting ${running.services.map(({ name }) => name).join(', ')}`);
  feed.attach(screen);

  let end: End;
  try {
    end = await untilEnd(running, screen, stopped, options);
  } catch (error) {
    await running.stop();
    throw error;
  } finally {
    await screen.close();
  }
  if (end.kind === 'asked') screen.ending(end.why);
  const began = performance.now();
  await running.stop();
  const ms = Math.round(performance.now() - began);
  screen.say(`all services stopped after ${ms} ms; logs and state are in ${paths.directory}`);
  return end;
}

/** Ctrl+C and its like: aborts the steps before the first process, ends the run after it. */
function stopSignal(world: World): { readonly signal: AbortSignal; readonly stopped: Promise<End> } {
  const cancel = new AbortController();
  const stopped = new Promise<End>((resolve) => {
    world.onStop((why) => {
      cancel.abort(new Failure(`ended by ${why} before anything was started`));
      resolve(ask(why));
    });
  });
  return { signal: cancel.signal, stopped };
}

function plainOutput(options: ForegroundOptions, run: RunningInstance) {
  const { paths, world, json, headless, background = false, flags } = options;
  const names = run.services.map(({ name }) => name);
  return plainScreen(world, names, {
    quiet: json,
    headless: headless || background,
    // A user who sets a level wants the lines of that level.
    lines: background ? 'none' : flags?.logLevel === undefined ? 'digest' : 'all',
    ours: run.services.flatMap(({ name, builtin }) => (builtin === undefined ? [] : [name])),
    logFile: (service) => logPath(paths, service),
  });
}

const ask = (why: string): End => ({ kind: 'asked', why });

async function untilEnd(running: RunningInstance, screen: Handover, stopped: Promise<End>, options: ForegroundOptions) {
  // Nothing else keeps this process alive while all services are paused, or stopped one by one.
  const awake = setInterval(() => {}, KEEP_AWAKE_MS);
  const late = new AbortController();
  try {
    return await Promise.race([
      stopped,
      screen.quit.then(ask),
      whenOver(running),
      announce(running, screen, options),
      openLate(screen, late.signal),
    ]);
  } finally {
    late.abort();
    clearInterval(awake);
  }
}

/** Opens the terminal UI when the start takes long. Only ever rejects. */
function openLate(screen: Handover, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(() => screen.handOver().catch(reject), UI_AT_LATEST_MS);
    signal.addEventListener('abort', () => clearTimeout(timer));
  });
}

/** Announces that all services are ready. Resolves only when one fails and there is no terminal UI to act on it. */
async function announce(running: RunningInstance, screen: Handover, options: ForegroundOptions): Promise<End> {
  try {
    await running.supervisor.ready();
    const network = describeNetwork(await readOverview(running), running.services);
    if (screen.isPlain) printReady(network, options);
    screen.ready(network);
    options.onReady?.(network);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (!screen.hasUi) return { kind: 'failed', reason: error.message };
  }
  await screen.handOver();
  return new Promise(() => {});
}

/** A service that cannot run does not end the others; the run ends when none is left. */
function whenOver({ supervisor }: RunningInstance): Promise<End> {
  return new Promise((resolve) => {
    supervisor.on((event) => {
      if (event.kind !== 'failed' && event.kind !== 'finished') return;
      const over = supervisor.status().every(({ state }) => state === 'failed' || state === 'finished');
      const failed = supervisor.failure();
      if (failed !== undefined && over) resolve({ kind: 'failed', reason: failed.message });
      else if (over) resolve(ask('every service has done its work'));
    });
  });
}

/**
 * Delivers events and notices to a screen; earlier ones are kept for it.
 *
 * @param stderr Notices have a stream of their own, so that scripts can separate them from the output of services.
 */
function eventFeed(stderr: World['stderr']) {
  const early: { readonly event: SupervisorEvent; readonly at: number }[] = [];
  let screen: Handover | undefined;
  return {
    event(event: SupervisorEvent): void {
      const at = wallClock.unixMs();
      if (screen === undefined) early.push({ event, at });
      else screen.event(event, at);
    },
    notice(line: string): void {
      if (screen === undefined || screen.isPlain) stderr.write(`${line}\n`);
      else screen.say(line);
    },
    attach(to: Handover): void {
      screen = to;
      for (const { event, at } of early.splice(0)) to.event(event, at);
    },
  };
}

/**
 * A banner for people, and the line `ready {json}` for programs. The line has the keys of the development accounts, so a terminal
 * that a person reads shows it only when asked.
 */
function printReady(network: Overview, { world, json, headless, background = false }: ForegroundOptions): void {
  const { env, directory, stdout } = world;
  if (!json && !background) stdout.write(`${banner(network, programsFor(env, directory)).join('\n')}\n`);
  if (json || headless || stdout.isTTY !== true) stdout.write(`ready ${JSON.stringify(network)}\n`);
}
