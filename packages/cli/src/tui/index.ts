import type { World } from '../cli.ts';
import { banner } from '../dev/run/banner.ts';
import { programsFor } from '../dev/run/programs.ts';
import type { RunningInstance } from '../dev/run/running.ts';
import type { Screen } from '../dev/run/screen.ts';
import type { SupervisorEvent } from '../dev/supervisor/events.ts';
import { depthOf } from './colours.ts';
import { frameOf } from './frame.ts';
import { listenToKeys } from './keys.ts';
import { createModel } from './model.ts';
import { Pacer } from './pacing.ts';
import { askHttp, type PollState, poll } from './poll.ts';
import { loadTuiSettings } from './settings.ts';
import { sourceOf, urlsOf } from './source.ts';
import { Terminal } from './terminal.ts';
import { createTheme } from './theme.ts';
import { type Effect, type Input, update } from './update.ts';

const POLL_MS = 1_000;

export interface TerminalUi {
  readonly running: RunningInstance;
  readonly world: World;
  readonly input?: NodeJS.ReadStream;
  readonly output?: NodeJS.WriteStream;
}

/** Takes the terminal for a running instance, until it is closed or the process ends. */
export function openTerminalUi(deps: TerminalUi): Screen {
  const { running, world, input = process.stdin, output = process.stdout } = deps;
  const { supervisor } = running;
  const { settings, problems } = loadTuiSettings(running.instance.paths.home);
  const theme = createTheme(settings, depthOf(world.env));
  const terminal = new Terminal(output);
  let model = createModel({ ...sourceOf(running, settings), size: terminal.size });
  let quit: (why: string) => void = () => {};
  const quitAsked = new Promise<string>((resolve) => {
    quit = resolve;
  });
  let isOpen = true;
  // Time of the last poll, key or message, not of the frame: a frame for log lines alone changes no other row.
  let clock = performance.now();

  const take = (happened: Input) => {
    const updated = update(model, happened);
    model = updated.model;
    for (const effect of updated.effects) carryOut(effect);
  };
  const say = (text: string) => {
    clock = performance.now();
    take({ kind: 'say', text, at: clock });
    pacer.soon();
  };
  const refresh = () => take({ kind: 'status', services: supervisor.status() });
  const carryOut = (effect: Effect) => {
    if (effect.kind === 'quit') {
      quit(effect.why);
      return;
    }
    const { kind, service } = effect;
    const work = {
      restart: () => supervisor.restart(service),
      stop: () => supervisor.stopService(service),
      start: () => supervisor.startService(service),
    }[kind]();
    work.catch((error: unknown) => say(error instanceof Error ? error.message : String(error)));
    refresh();
  };

  const draw = () => {
    if (!isOpen) return;
    // A terminal that cannot keep up gets the newest frame once it can.
    if (terminal.isBusy) pacer.later();
    else terminal.draw(frameOf(model, theme, clock));
  };
  const pacer = new Pacer(draw);

  const resized = () => {
    take({ kind: 'size', size: terminal.size });
    terminal.forget();
    pacer.soon();
  };
  const releaseKeys = listenToKeys(input, (key) => {
    clock = performance.now();
    take({ kind: 'key', key, at: clock });
    pacer.soon();
  });
  const restore = () => {
    terminal.close();
    releaseKeys();
  };
  const stopPolling = startPolling(running, (state) => {
    clock = performance.now();
    take({ kind: 'facts', facts: state.facts });
    refresh();
    pacer.later();
  });
  const giveBack = listenToProcess(restore, resized);
  output.on('resize', resized);
  terminal.open();
  refresh();
  for (const problem of problems) say(problem);
  pacer.soon();

  return {
    quit: quitAsked,
    say,
    ready(overview) {
      take({ kind: 'about', lines: banner(overview, programsFor(world.env, world.directory)).slice(1) });
      say('all is ready; i shows URLs, accounts and commands to try');
      refresh();
      pacer.soon();
    },
    event(event: SupervisorEvent) {
      take({ kind: 'event', event });
      if (event.kind !== 'line') refresh();
      pacer.later();
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      pacer.stop();
      stopPolling();
      output.off('resize', resized);
      restore();
      giveBack();
    },
  };
}

/** However the process ends, the terminal is as it was before. */
function listenToProcess(restore: () => void, redraw: () => void): () => void {
  const abort = (signal: NodeJS.Signals) => {
    restore();
    process.off(signal, abort);
    process.kill(process.pid, signal);
  };
  process.on('exit', restore);
  process.on('uncaughtExceptionMonitor', restore);
  process.on('SIGQUIT', abort);
  process.on('SIGCONT', redraw);
  return () => {
    process.off('exit', restore);
    process.off('uncaughtExceptionMonitor', restore);
    process.off('SIGQUIT', abort);
    process.off('SIGCONT', redraw);
  };
}

function startPolling(running: RunningInstance, onState: (state: PollState) => void): () => void {
  const urls = urlsOf(running);
  let state: PollState = { facts: { rates: [], path: [] } };
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const ask = async () => {
    const began = performance.now();
    state = await poll(urls, state, askHttp, () => performance.now());
    if (isOver) return;
    onState(state);
    timer = setTimeout(again, Math.max(0, began + POLL_MS - performance.now()));
  };
  const again = () => void ask();
  again();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
