import type { SupervisorEvent } from '@switchyard/network/supervisor/events';
import { wallClock } from '@switchyard/service';
import type { World } from '../cli.ts';
import { programsFor } from '../dev/run/programs.ts';
import type { RunningInstance } from '../dev/run/running.ts';
import type { Screen } from '../dev/run/screen.ts';
import { toOverview } from '../dev/status/overview.ts';
import { toUrls } from '../dev/status/urls.ts';
import { aboutItems } from './about-items.ts';
import type { Effect } from './acting.ts';
import { computeDepth } from './colours.ts';
import { getFrame } from './frame.ts';
import { listenToKeys } from './keys.ts';
import { type AboutItem, createModel, type Model } from './model.ts';
import { Pacer } from './pacing.ts';
import { startPolling } from './polling.ts';
import { loadTuiSettings } from './settings.ts';
import { toSource } from './source.ts';
import { isAsciiOnly, restoreAtExit, Terminal, toAscii } from './terminal.ts';
import { createTheme, type Theme } from './theme.ts';
import { type Input, update } from './update.ts';

export interface TerminalUiDeps {
  readonly running: RunningInstance;
  readonly world: World;
  readonly input?: NodeJS.ReadStream;
  readonly output?: NodeJS.WriteStream;
}

/** Takes the terminal for a running instance, until it is closed or the process ends. */
export class TerminalUi implements Screen {
  readonly quit: Promise<string>;
  readonly #running: RunningInstance;
  readonly #world: World;
  readonly #theme: Theme;
  readonly #terminal: Terminal;
  readonly #pacer = new Pacer(() => this.#draw());
  readonly #release: readonly (() => void)[];
  #model: Model;
  #resolveQuit: (why: string) => void = () => {};
  /** Time of the last poll, key or message, not of the frame: a frame for log lines alone changes no other row. */
  #now = performance.now();
  #isOpen = true;
  #about: (() => readonly AboutItem[]) | undefined;

  constructor({ running, world, input = process.stdin, output = process.stdout }: TerminalUiDeps) {
    const { settings, problems } = loadTuiSettings(running.instance.paths.home);
    this.#running = running;
    this.#world = world;
    this.#theme = createTheme(settings, computeDepth(world.env));
    this.#terminal = isAsciiOnly(world.env) ? new Terminal(output, toAscii) : new Terminal(output);
    this.#model = createModel({ ...toSource(running, settings), size: this.#terminal.size });
    this.quit = new Promise((resolve) => {
      this.#resolveQuit = resolve;
    });
    const resized = () => this.#resized();
    output.on('resize', resized);
    const releaseKeys = listenToKeys(input, (key) => {
      this.#now = performance.now();
      this.#take({ kind: 'key', key, at: this.#now });
      this.#describe();
      this.#pacer.defer();
    });
    const restore = () => {
      this.#terminal.close();
      releaseKeys();
    };
    const stopPolling = startPolling({
      urls: toUrls(running.instance.network, running.services),
      processes: () => running.supervisor.status(),
      directory: running.instance.paths.directory,
      onFacts: (facts) => {
        this.#now = performance.now();
        this.#take({ kind: 'facts', facts });
        this.#describe();
        this.#refresh();
        this.#pacer.later();
      },
    });
    this.#release = [stopPolling, () => output.off('resize', resized), restore, restoreAtExit(restore, resized)];
    this.#terminal.open();
    this.#refresh();
    for (const problem of problems) this.say(problem);
    this.#pacer.defer();
  }

  say(text: string): void {
    this.#now = performance.now();
    this.#take({ kind: 'notice', text, at: this.#now, timeOfDay: wallClock.unixMs() });
    this.#pacer.defer();
  }

  ready(): void {
    const { env, directory } = this.#world;
    const programs = programsFor(env, directory);
    this.#about = () => aboutItems(toOverview(this.#running, this.#model.facts), programs);
    this.#describe();
    this.#refresh();
    this.say('all services are ready: i shows URLs, accounts and commands to try');
  }

  /** While it is seen: the services, their addresses and progress. */
  #describe(): void {
    if (this.#about === undefined || this.#model.screen !== 'about') return;
    this.#take({ kind: 'about', items: this.#about() });
  }

  event(event: SupervisorEvent, at: number): void {
    this.#take({ kind: 'event', event, at });
    if (event.kind !== 'line') this.#refresh();
    this.#pacer.later();
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#pacer.stop();
    for (const release of this.#release) release();
  }

  #take(input: Input): void {
    const { model, effects } = update(this.#model, input);
    this.#model = model;
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: Effect): void {
    if (effect.kind === 'quit') {
      this.#resolveQuit(effect.why);
      return;
    }
    if (effect.kind === 'copy') {
      this.#terminal.copy(effect.text);
      return;
    }
    const { supervisor } = this.#running;
    const work = {
      restart: () => supervisor.restart(effect.service),
      stop: () => supervisor.stopService(effect.service),
      start: () => supervisor.startService(effect.service),
    }[effect.kind]();
    work.catch((error: unknown) => this.say(error instanceof Error ? error.message : String(error)));
    this.#refresh();
  }

  #refresh(): void {
    this.#take({ kind: 'status', services: this.#running.supervisor.status() });
  }

  #resized(): void {
    this.#take({ kind: 'size', size: this.#terminal.size });
    this.#terminal.forget();
    this.#pacer.defer();
  }

  #draw(): void {
    if (!this.#isOpen) return;
    // A terminal that cannot keep up gets the newest frame once it can.
    if (this.#terminal.isBusy) this.#pacer.later();
    else this.#terminal.draw(getFrame(this.#model, this.#theme, this.#now));
  }
}
