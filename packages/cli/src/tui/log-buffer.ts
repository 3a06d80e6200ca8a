export interface LogLine {
  readonly service: string;
  readonly text: string;
  /** When it came, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Output of the service, or a lifecycle event that the tool reports, `bad` for a failure. */
  readonly kind: 'output' | 'life' | 'bad';
  /** It only reports a health check, or the tool's own polling. */
  readonly isCheck?: boolean;
}

/** Characters that one pane keeps at most. */
const MAX_CHARACTERS = 4_000_000;
/**
 * The newest lines of a pane. Every line has a number that never changes, so a position stays valid while older
 * lines are dropped. It is mutable: there may be thousands of lines a second.
 */
export class LogBuffer {
  readonly #maxLines: number;
  readonly #maxCharacters: number;
  readonly #lines = new Map<number, LogLine>();
  #first = 0;
  #characters = 0;
  #checks = 0;

  /** @param maxLines 0: no limit but that of the characters. */
  constructor(maxLines: number, maxCharacters = MAX_CHARACTERS) {
    this.#maxLines = maxLines === 0 ? Number.POSITIVE_INFINITY : maxLines;
    this.#maxCharacters = maxCharacters;
  }

  /** Number of the oldest line that is kept. */
  get first(): number {
    return this.#first;
  }

  /** Number of the next line. */
  get end(): number {
    return this.#first + this.#lines.size;
  }

  /** How many of the lines are about health checks. */
  get checks(): number {
    return this.#checks;
  }

  push(line: LogLine): void {
    this.#lines.set(this.end, line);
    if (line.isCheck === true) this.#checks += 1;
    this.#characters += line.text.length;
    while (this.#lines.size > this.#maxLines || this.#characters > this.#maxCharacters) {
      const dropped = this.at(this.#first);
      this.#characters -= dropped?.text.length ?? 0;
      if (dropped?.isCheck === true) this.#checks -= 1;
      this.#lines.delete(this.#first);
      this.#first += 1;
    }
  }

  at(number: number): LogLine | undefined {
    return this.#lines.get(number);
  }
}
