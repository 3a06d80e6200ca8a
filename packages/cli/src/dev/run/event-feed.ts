import { type WallClock, wallClock } from '@switchyard/service';
import type { SupervisorEvent } from '../supervisor/events.ts';
import type { Screen } from './screen.ts';

/** Delivers events and notices to a screen; those that come before there is one are kept for it. */
export class EventFeed {
  readonly #stderr: { write(text: string): unknown };
  readonly #wall: WallClock;
  #early: { readonly event: SupervisorEvent; readonly at: number }[] = [];
  #screen: (Screen & { readonly isPlain: boolean }) | undefined;

  /** @param stderr Notices have a stream of their own, so that scripts can separate them from the output of services. */
  constructor(stderr: { write(text: string): unknown }, wall: WallClock = wallClock) {
    this.#stderr = stderr;
    this.#wall = wall;
  }

  event(event: SupervisorEvent): void {
    const at = this.#wall.unixMs();
    if (this.#screen === undefined) this.#early.push({ event, at });
    else this.#screen.event(event, at);
  }

  notice(line: string): void {
    if (this.#screen === undefined || this.#screen.isPlain) this.#stderr.write(`${line}\n`);
    else this.#screen.say(line);
  }

  attach(screen: Screen & { readonly isPlain: boolean }): void {
    this.#screen = screen;
    for (const { event, at } of this.#early.splice(0)) screen.event(event, at);
  }
}
