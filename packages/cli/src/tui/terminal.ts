import type { Size } from './model.ts';
import { measureWidth, RESET } from './text.ts';

/** The part of a terminal that is used for output. */
interface TerminalOutput {
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
/** Synchronized output: terminals that support it show the text between these at once. */
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
    // A terminal of unknown size is taken for the smallest one with room for everything.
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

/**
 * Restores the terminal however the process ends, and redraws when it continues after a pause.
 *
 * @returns a function that removes the listeners.
 */
export function restoreAtExit(restore: () => void, redraw: () => void): () => void {
  const abort = (signal: NodeJS.Signals) => {
    restore();
    process.off(signal, abort);
    process.kill(process.pid, signal);
  };
  const listeners = [
    ['exit', restore],
    ['uncaughtExceptionMonitor', restore],
    ['SIGQUIT', abort],
    ['SIGCONT', redraw],
  ] as const;
  for (const [event, listener] of listeners) process.on(event, listener);
  return () => {
    for (const [event, listener] of listeners) process.off(event, listener);
  };
}

/** ASCII replacements of drawing characters, for terminals without these. Each takes one column, as the original. */
const STAND_INS: Readonly<Record<string, string>> = {
  '─': '-',
  '│': '|',
  '╭': '+',
  '╮': '+',
  '╰': '+',
  '╯': '+',
  '…': '~',
  '·': '-',
  '↑': '^',
  '↓': 'v',
  '▁': '_',
  '▂': '.',
  '▃': '.',
  '▄': '-',
  '▅': '-',
  '▆': '=',
  '▇': '=',
  '█': '#',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences for colours and for the cursor
const SEQUENCE = /(\u001b\[[0-9;:]*[mG])/;
const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A row for a terminal that only has ASCII: as wide as before. */
export function toAscii(row: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a sequence
  if (/^[\x1b\x20-\x7e]*$/.test(row)) return row;
  return row
    .split(SEQUENCE)
    .map((part, index) => (index % 2 === 1 ? part : Array.from(GRAPHEMES.segment(part), letterFor).join('')))
    .join('');
}

function letterFor({ segment }: { readonly segment: string }): string {
  return /^[\x20-\x7e]$/.test(segment) ? segment : (STAND_INS[segment] ?? '?'.repeat(measureWidth(segment)));
}

/** Whether the user's locale names another encoding than UTF-8. Without any locale, as in containers, terminals take UTF-8. */
export function isAsciiOnly(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => value !== undefined && value !== '');
  return locale !== undefined && !/utf-?8/i.test(locale);
}
