import type { SupervisorEvent } from '@switchyard/network/supervisor/events';
import { STARTING } from '@switchyard/network/supervisor/probe';

/** Lines of the same sentence that are shown one after the other, and how soon another one is. */
const BURST = 3;
const REFILL_MS = 5 * 60_000;

/** Line format of our services: time, level, a constant sentence, fields. */
const LINE = /^\d\d:\d\d:\d\d\.\d{3} (TRACE|DEBUG|INFO|WARN|ERROR|FATAL) +(.*?)(?: [A-Za-z_][\w.-]*=.*)?$/;

interface Sentence {
  readonly tokens: number;
  readonly at: number;
  readonly left: number;
}

/**
 * Selects the lines of our services for people who watch the plain output: events once a service is ready, without
 * repetitions. Log files have every line. The output of other programs, errors, and lines of another form always pass.
 */
export class Digest {
  readonly #ours: ReadonlySet<string>;
  readonly #now: () => number;
  readonly #ready = new Set<string>();
  readonly #sentences = new Map<string, Sentence>();
  #isEnding = false;

  /** @param ours Names of the services that come with Switchyard. */
  constructor(own: ReadonlySet<string>, now: () => number = () => performance.now()) {
    this.#ours = own;
    this.#now = now;
  }

  /** All services are being stopped, and only irregularities are of interest. */
  end(): void {
    this.#isEnding = true;
  }

  /** @returns the event to show for this one; undefined: nothing. */
  take(event: SupervisorEvent): SupervisorEvent | undefined {
    switch (event.kind) {
      case 'line':
        return this.#ours.has(event.service) ? this.#line(event) : event;
      case 'started':
        this.#ready.delete(event.service);
        return undefined;
      case 'ready':
        this.#ready.add(event.service);
        return event;
      case 'not-ready':
        return event.reason === STARTING ? undefined : event;
      case 'stopped':
        return this.#isEnding && !event.killed ? undefined : event;
      default:
        return event;
    }
  }

  #line(event: Extract<SupervisorEvent, { kind: 'line' }>): SupervisorEvent | undefined {
    const [, level, sentence = ''] = LINE.exec(event.text) ?? [];
    if (level === undefined || level === 'ERROR' || level === 'FATAL') return event;
    const isWarning = level === 'WARN';
    // While all start, it is usual that one is not there yet for another.
    if (!this.#ready.has(event.service) && (!isWarning || event.text.includes('ECONNREFUSED'))) return undefined;
    if (this.#isEnding && !isWarning) return undefined;
    return this.#sparse(event, `${event.service} ${level} ${sentence}`);
  }

  /** The first ones of a sentence, then one now and then with the number of those in between. */
  #sparse(event: Extract<SupervisorEvent, { kind: 'line' }>, key: string): SupervisorEvent | undefined {
    const now = this.#now();
    const { tokens, at, left } = this.#sentences.get(key) ?? { tokens: BURST, at: now, left: 0 };
    const available = Math.min(BURST, tokens + (now - at) / REFILL_MS);
    if (available < 1) {
      this.#sentences.set(key, { tokens: available, at: now, left: left + 1 });
      return undefined;
    }
    this.#sentences.set(key, { tokens: available - 1, at: now, left: 0 });
    return left === 0 ? event : { ...event, text: `${event.text} (${left} alike not shown)` };
  }
}
