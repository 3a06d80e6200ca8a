import type { Size } from './model.ts';
import { RESET } from './text.ts';

/** The part of a terminal that is used for output. */
export interface TerminalOutput {
  readonly columns?: number;
  readonly rows?: number;
  /** Characters that wait because the terminal is slow, or stopped with Ctrl+S. */
  readonly writableLength: number;
  write(text: string): unknown;
}

const ESCAPE = '\u001b[';
/** Alternate screen, no cursor, and no wrapping, so that a character whose width is disputed shifts one row and not the screen. */
const ENTER = `${ESCAPE}?1049h${ESCAPE}?25l${ESCAPE}?7l${ESCAPE}2J`;
const LEAVE = `${RESET}${ESCAPE}?7h${ESCAPE}?25h${ESCAPE}?1049l`;
/** Synchronized output: terminals that support it show what is between these at once. */
const BEGIN_FRAME = `${ESCAPE}?2026h`;
const END_FRAME = `${ESCAPE}?2026l`;
const MAX_WAITING = 64 * 1024;

/** The screen of a terminal: draws only the rows that changed, and restores it in the end. */
export class Terminal {
  readonly #output: TerminalOutput;
  readonly #encode: (row: string) => string;
  #isOpen = false;
  #drawn: readonly string[] = [];

  /** @param encode Encodes a row for a terminal that lacks some characters. */
  constructor(output: TerminalOutput, encode: (row: string) => string = (row) => row) {
    this.#output = output;
    this.#encode = encode;
  }

  get size(): Size {
    // A terminal of unknown size is taken for the smallest one that has room for everything.
    return { columns: this.#output.columns ?? 80, rows: this.#output.rows ?? 24 };
  }

  /** Whether a frame would only queue behind earlier ones. */
  get isBusy(): boolean {
    return this.#output.writableLength > MAX_WAITING;
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#output.write(ENTER);
  }

  /** Makes the next frame draw every row: another process may have written, or the size has changed. */
  forget(): void {
    this.#drawn = [];
    if (this.#isOpen) this.#output.write(`${RESET}${ESCAPE}2J`);
  }

  draw(lines: readonly string[]): void {
    if (!this.#isOpen) return;
    let changes = '';
    for (const [row, line] of lines.entries()) {
      if (line !== this.#drawn[row]) changes += `${ESCAPE}${row + 1};1H${ESCAPE}2K${this.#encode(line)}${RESET}`;
    }
    if (lines.length < this.#drawn.length) changes += `${ESCAPE}${lines.length + 1};1H${ESCAPE}J`;
    this.#drawn = lines;
    if (changes !== '') this.#output.write(BEGIN_FRAME + changes + END_FRAME);
  }

  /** Hands a text to the clipboard of the machine that the terminal runs on, also over SSH (OSC 52). */
  copy(text: string): void {
    if (this.#isOpen) this.#output.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  }

  /** May be called at any time, also while the process ends. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#output.write(LEAVE);
  }
}
