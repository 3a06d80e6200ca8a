// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is being removed
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Text of strangers as one line that is safe on a terminal: control characters, among them escape sequences and
 * marks that reverse the reading direction, are shown as their code.
 */
export function plain(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}

/** One JSON value; 64-bit and wider integers as decimal strings, which every reader takes unharmed. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) => (typeof field === 'bigint' ? field.toString() : field), 2);
}

/** Rows as columns two spaces apart. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** `1 block`, `2 blocks`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

/** `3 files, 1.2 MB` */
export function sizeText({ files, bytes }: { readonly files: number; readonly bytes: number }): string {
  const unit = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  const amount = unit === 0 ? `${bytes}` : (bytes / 1_000 ** unit).toFixed(1);
  return `${count(files, 'file')}, ${amount} ${['bytes', 'KB', 'MB'][unit]}`;
}
