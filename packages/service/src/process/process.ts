import { serveMetrics } from '../http/metrics-http.ts';
import { ownListener } from '../http/own-listener.ts';
import type { Links } from '../links.ts';
import { type ConfigOf, describeFields, type FieldTable, InvalidConfig, loadConfig } from '../settings/config.ts';
import { withOptionNames } from '../settings/option-names.ts';
import type { StandardFields } from '../settings/standard-fields.ts';
import { errorLine } from '../telemetry/error-line.ts';
import { findExitCode } from '../telemetry/exit-code.ts';
import { createLogger, type Logger } from '../telemetry/log.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { aborted, forManyListeners, isAbort, sleep, TimedOut } from '../timing/abort.ts';
import { type Clock, systemClock } from '../timing/clock.ts';
import { processWorld, productVersion, type World } from './world.ts';

/** Facilities that `main` gets besides its configuration. */
export interface ProcessContext {
  readonly log: Logger;
  /** Aborts when the process is signalled to end, or when `fail` was called. */
  readonly signal: AbortSignal;
  readonly metrics: Metrics;
  /** Other parts of this process, if there are any, for servers and clients. */
  readonly links?: Links | undefined;
  readonly sendToParent?: World['sendToParent'];
  /** Milliseconds that a block of a rollup may take, in a test; the usual bound, if absent. */
  readonly handlerLimitMs?: number | undefined;
  /** Registers something to close at the end; the last one registered closes first. */
  defer(close: () => Promise<void> | void): void;
  /** Watches work that runs alongside `main`: its failure ends the process, and closing waits for it. */
  background(work: Promise<unknown>): void;
  /** Ends the process in order, with this error as its last line and exit code 1, or the exit code of the error. */
  fail(error: unknown): void;
}

export interface ProcessSpec<F extends FieldTable & StandardFields> {
  /** Such as `composer`: name of the log target, and with `switchyard_` before it of the metrics. */
  readonly name: string;
  /** The process's settings, with `...standardFields(prefix, metricsListen)` among them. */
  readonly fields: F;
  /**
   * Builds the parts and returns, or runs until the signal aborts: the process runs until then either way, unless it
   * resolves with the text `done`.
   */
  readonly main: (config: ConfigOf<F>, context: ProcessContext) => Promise<unknown>;
  /** Limit for everything that was deferred, together. */
  readonly closeWithinMs?: number;
}

/** `damaged`: a store on disk; `unhandled`: a bug of ours, as against a failure that was foreseen. */
export const EXIT = { ok: 0, failed: 1, usage: 64, damaged: 65, unhandled: 70, config: 78 } as const;

/** Prefix of an unhandled error, on standard error. */
export const UNHANDLED = 'unhandled error: ';

/**
 * Runs a process from its environment to its exit code: `--help` and `--version`, configuration, log, metrics, signals,
 * closing in reverse. A second signal, or an unhandled error, ends it at once. With
 * `SWITCHYARD_PARENT_PIPE=1` the end of standard input counts as a signal, so that no child outlives its parent.
 */
export async function runProcess<F extends FieldTable & StandardFields>(
  spec: ProcessSpec<F>,
  world: World = processWorld(),
): Promise<void> {
  const say = (text: string): void => (world.stdout ?? ((line) => void process.stdout.write(line)))(`${text}\n`);
  const [argument] = world.args;
  if (argument === '--help' || argument === '-h') {
    say(`switchyard ${spec.name}: takes its settings from the environment\n\n${describeFields(spec.fields)}`);
    return world.exit(EXIT.ok);
  }
  if (argument === '--version') {
    say(`switchyard ${spec.name} ${productVersion()}`);
    return world.exit(EXIT.ok);
  }
  if (argument !== undefined) {
    world.stderr(
      `${spec.name}: unexpected argument ${JSON.stringify(argument)}; settings come from the environment, see --help\n`,
    );
    return world.exit(EXIT.usage);
  }
  try {
    const config = loadConfig(spec.fields, world.env);
    // ConfigOf<F> has the standard keys because F has them, which the compiler cannot follow through the mapped type.
    world.exit(await run(spec, config, config as ConfigOf<StandardFields>, world));
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    const lines = withOptionNames(error.message, world.env).split('\n');
    for (const line of lines) world.stderr(`${spec.name}: ${line}\n`);
    world.exit(EXIT.config);
  }
}

async function run<F extends FieldTable & StandardFields>(
  spec: ProcessSpec<F>,
  config: ConfigOf<F>,
  standard: ConfigOf<StandardFields>,
  world: World,
): Promise<number> {
  const log = createLogger({
    name: spec.name,
    filter: standard.log,
    pretty: standard.prettyPrint ?? (world.terminal || standard.forceStdout),
    color: world.terminal && (world.env.NO_COLOR ?? '') === '',
    ...(world.stdout === undefined ? {} : { write: world.stdout }),
  });
  const stopping = new AbortController();
  forManyListeners(stopping.signal);
  const closers: (() => Promise<void> | void)[] = [];
  let failure: { readonly error: unknown } | undefined;

  const fatal = (error: unknown, mark = ''): void => {
    world.stderr(`${spec.name}: ${mark}${withOptionNames(errorLine(error), world.env)}\n`);
    if (error instanceof Error) log.debug({ stack: error.stack }, 'stack of the last error');
  };
  const fail = (error: unknown): void => {
    if (isAbort(error, stopping.signal)) return;
    failure ??= { error };
    stopping.abort(new Error('the process failed'));
  };
  const stop = (why: string): void => {
    if (stopping.signal.aborted) {
      world.stderr(`${spec.name}: ${why} again, not waiting for the rest to close\n`);
      world.exit(EXIT.failed);
      return;
    }
    log.info({ why }, 'stopping');
    stopping.abort(new Error(`stopped by ${why}`));
  };

  world.onUnhandled((error) => {
    // Damage may be found wherever a store is read, and is foreseen wherever it surfaces.
    const code = findExitCode(error);
    fatal(error, code === undefined ? UNHANDLED : '');
    world.exit(code ?? EXIT.unhandled);
  });
  world.onSignal(stop);
  if (world.env.SWITCHYARD_PARENT_PIPE === '1') {
    world.onInputEnd(() => stopping.signal.aborted || stop('the end of the parent process'));
  }

  const metrics = createMetrics(`switchyard_${spec.name.replaceAll('-', '_')}_`, {
    service: `switchyard-${spec.name}`,
    processMetrics: true,
  });
  const running: Promise<unknown>[] = [];
  const context: ProcessContext = {
    log,
    metrics,
    links: world.links,
    sendToParent: world.sendToParent,
    handlerLimitMs: world.handlerLimitMs,
    signal: stopping.signal,
    defer: (close) => void closers.push(close),
    background: (work) => void running.push(work.catch(fail)),
    fail,
  };
  log.info({ version: productVersion(), pid: process.pid }, 'starting');
  const main = start(spec, config, standard, context).then((state) => {
    if (state === 'done') stopping.abort(new Error('the work is done'));
  }, fail);
  // Without this, a process whose parts are all waiting would have nothing left to run and would end silently.
  const alive = setInterval(() => undefined, 2 ** 30);
  await aborted(stopping.signal);
  // A part that was cut off is not waited for.
  if (world.links?.isCutOff === true) clearInterval(alive);
  const closed = await closeAll(closers, [main, ...running], spec.closeWithinMs ?? 10_000).catch((error: unknown) => {
    failure ??= { error };
  });
  clearInterval(alive);
  for (const error of closed ?? []) log.warn({ error: errorLine(error) }, 'something did not close cleanly');
  if (failure === undefined) {
    log.info('stopped');
    return EXIT.ok;
  }
  // A file that the settings point to may be as wrong as the settings.
  if (failure.error instanceof InvalidConfig) throw failure.error;
  fatal(failure.error);
  // Damaged data has an exit code of its own, so that a supervisor does not start the process again and again.
  return findExitCode(failure.error) ?? EXIT.failed;
}

async function start<F extends FieldTable & StandardFields>(
  spec: ProcessSpec<F>,
  config: ConfigOf<F>,
  standard: ConfigOf<StandardFields>,
  context: ProcessContext,
): Promise<unknown> {
  if (!standard.noMetrics) {
    const listener = ownListener(spec.fields, standard, 'metricsHttpListenerAddr', context);
    const server = await serveMetrics(context.metrics, { ...listener, signal: context.signal });
    context.defer(() => server.close());
  }
  return spec.main(config, context);
}

/**
 * Waits for running work, which the signal has stopped, then closes in reverse: nothing is closed under the feet of
 * its user, unless that user takes more than half of the time.
 *
 * @returns the errors of single closers, which do not stop the others.
 * @throws {TimedOut} when the time is over.
 */
async function closeAll(closers: (() => Promise<void> | void)[], running: readonly Promise<unknown>[], ms: number) {
  const errors: unknown[] = [];
  const closing = async (): Promise<void> => {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await atMost(ms / 2, Promise.all(running));
  if (!(await atMost(ms / 2, closing()))) throw new TimedOut('closing', ms);
  return errors;
}

const idleClock: Clock = {
  now: () => systemClock.now(),
  after: (ms, fire) => systemClock.after(ms, fire, true),
};

/** @returns whether `work` was done in time. */
async function atMost(ms: number, work: Promise<unknown>): Promise<boolean> {
  const given = new AbortController();
  const late = sleep(ms, given.signal, idleClock).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    given.abort();
  }
}
