import type { Size } from './model.ts';
import { RESET } from './text.ts';

/** What we need of a terminal to write to. */
export interface TerminalOutput {
  readonly columns?: number;
  readonly rows?: number;
  /** Characters that wait because the terminal is slow, or stopped with Ctrl+S. */
  readonly writableLength: number;
  write(text: string): unknown;
}

const ESCAPE = '\u001b[';
/** Alternate screen, no cursor, and no wrapping: a width that we and the terminal disagree on costs one column, not the screen. */
const ENTER = `${ESCAPE}?1049h${ESCAPE}?25l${ESCAPE}?7l${ESCAPE}2J`;
const LEAVE = `${RESET}${ESCAPE}?7h${ESCAPE}?25h${ESCAPE}?1049l`;
/** Between these a terminal that can shows nothing, so that a frame appears at once. */
const BEGIN_FRAME = `${ESCAPE}?2026h`;
const END_FRAME = `${ESCAPE}?2026l`;
const MAX_WAITING = 64 * 1024;

/** The screen of a terminal: draws only the rows that changed, and gives it back as it was. */
export class Terminal {
  readonly #output: TerminalOutput;
  #isOpen = false;
  #drawn: readonly string[] = [];

  constructor(output: TerminalOutput) {
    this.#output = output;
  }

  get size(): Size {
    // A terminal that does not say is taken for the smallest one that everything fits on.
    return { columns: this.#output.columns ?? 80, rows: this.#output.rows ?? 24 };
  }

  /** Whether a frame would only wait behind the last one. */
  get isBusy(): boolean {
    return this.#output.writableLength > MAX_WAITING;
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#output.write(ENTER);
  }

  /** Everything is drawn with the next frame: another process may have written, or the size has changed. */
  forget(): void {
    this.#drawn = [];
    if (this.#isOpen) this.#output.write(`${RESET}${ESCAPE}2J`);
  }

  draw(lines: readonly string[]): void {
    if (!this.#isOpen) return;
    let changes = '';
    for (const [row, line] of lines.entries()) {
      if (line !== this.#drawn[row]) changes += `${ESCAPE}${row + 1};1H${ESCAPE}2K${line}${RESET}`;
    }
    if (lines.length < this.#drawn.length) changes += `${ESCAPE}${lines.length + 1};1H${ESCAPE}J`;
    this.#drawn = lines;
    if (changes !== '') this.#output.write(BEGIN_FRAME + changes + END_FRAME);
  }

  /** May be called at any time, also while the process ends. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#output.write(LEAVE);
  }
}
