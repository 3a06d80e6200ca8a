import type { SupervisorEvent } from '@switchyard/network/supervisor/events';
import type { Overview } from '../status/network.ts';

/** View of a running instance for a person: prefixed lines, or the terminal UI. */
export interface Screen {
  /** @param at When it happened, in milliseconds since the Unix epoch. */
  event(event: SupervisorEvent, at: number): void;
  /** A line of the tool itself. */
  say(line: string): void;
  /** All services are ready. */
  ready(overview: Overview): void;
  /** Restores the terminal. May be called twice. */
  close(): Promise<void>;
  /** Resolves with the reason when the person asks to end; for plain lines, never. */
  readonly quit: Promise<string>;
}

/** Prefixed lines on a stream. */
export interface PlainScreen extends Screen {
  /** All services are about to be stopped. */
  ending(why: string): void;
}
