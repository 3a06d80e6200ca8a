import type { SupervisorEvent } from '@switchyard/network/supervisor/events';
import type { Overview } from '../status/network.ts';
import type { PlainScreen, Screen } from './screen.ts';

/** Events replayed into the terminal UI when it opens. */
const MAX_REPLAYED = 5_000;

/** Plain lines at first; the terminal UI from `handOver` on, if there is one; plain lines again after `close`. */
export class Handover implements Screen {
  readonly quit: Promise<string>;
  readonly #plain: PlainScreen;
  readonly #open: (() => Promise<Screen>) | undefined;
  readonly #missed: { readonly event: SupervisorEvent; readonly at: number }[] = [];
  #overview: Overview | undefined;
  #opening: Promise<Screen> | undefined;
  #current: Screen;
  #isClosed = false;
  #left: (why: string) => void = () => {};

  constructor(plain: PlainScreen, open: (() => Promise<Screen>) | undefined) {
    this.#plain = plain;
    this.#current = plain;
    this.#open = open;
    this.quit = new Promise((resolve) => {
      this.#left = resolve;
    });
  }

  /** Whether there is a terminal UI, open or not yet. */
  get hasUi(): boolean {
    return this.#open !== undefined;
  }

  /** Whether output of the streams is visible: the terminal UI has the screen to itself. */
  get isPlain(): boolean {
    return this.#opening === undefined || this.#isClosed;
  }

  event(event: SupervisorEvent, at: number): void {
    this.#current.event(event, at);
    if (this.#current !== this.#plain || this.#open === undefined) return;
    if (this.#missed.push({ event, at }) > MAX_REPLAYED) this.#missed.shift();
  }

  say(line: string): void {
    this.#current.say(line);
  }

  ready(overview: Overview): void {
    this.#overview = overview;
    this.#current.ready(overview);
  }

  /** To be called when the terminal UI is closed. */
  ending(why: string): void {
    this.#plain.ending(why);
  }

  /** Opens the terminal UI, once, and replays the missed events. */
  async handOver(): Promise<void> {
    if (this.#open === undefined || this.#opening !== undefined || this.#isClosed) return;
    this.#opening = this.#open();
    const ui = await this.#opening;
    if (this.#isClosed) return;
    for (const { event, at } of this.#missed.splice(0)) ui.event(event, at);
    if (this.#overview !== undefined) ui.ready(this.#overview);
    void ui.quit.then(this.#left);
    this.#current = ui;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const ui = await this.#opening?.catch(() => undefined);
    await ui?.close();
    this.#current = this.#plain;
  }
}
