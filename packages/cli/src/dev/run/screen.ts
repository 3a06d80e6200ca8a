import type { Overview } from '../status/overview.ts';
import type { SupervisorEvent } from '../supervisor/events.ts';

/** What a person sees of a running instance: prefixed lines, or the terminal UI. */
export interface Screen {
  event(event: SupervisorEvent): void;
  /** A line of the tool itself. */
  say(line: string): void;
  /** All services are ready. */
  ready(overview: Overview): void;
  /** Gives the terminal back as it was. May be called twice. */
  close(): Promise<void>;
  /** Resolves with the reason when the person asks to end; for plain lines, never. */
  readonly quit: Promise<string>;
}
