import { InvalidData } from '@switchyard/service/input';

interface RawEvent {
  readonly kind: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Longer than any event of our services. */
const MAX_EVENT_LENGTH = 4_194_304;

/**
 * Text of a stream to events, however it is cut into pieces.
 *
 * @see the HTML Standard, 9.2.6: Interpreting an event stream
 */
export class EventParser {
  #rest = '';
  #kind = '';
  #id: string | undefined;
  #data: string[] = [];
  #length = 0;

  /** @throws {InvalidData} for an event that does not end. */
  add(text: string): RawEvent[] {
    const events: RawEvent[] = [];
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') this.#dispatch(events);
      else this.#field(line);
    }
    if (this.#length + this.#rest.length > MAX_EVENT_LENGTH) {
      throw new InvalidData(`event stream: expected events of at most ${MAX_EVENT_LENGTH} characters`);
    }
    return events;
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.#kind = value;
    else if (name === 'id') this.#id = value;
    else if (name === 'data') {
      this.#data.push(value);
      this.#length += value.length;
    }
  }

  /** An event without data is ignored. */
  #dispatch(events: RawEvent[]): void {
    if (this.#data.length > 0) {
      events.push({ kind: this.#kind || 'message', id: this.#id, data: this.#data.join('\n') });
    }
    this.#kind = '';
    this.#id = undefined;
    this.#data = [];
    this.#length = 0;
  }
}
