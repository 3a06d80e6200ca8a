import { printable, showHiddenInJson } from '@switchyard/protocol/hidden-characters';

/** Lines of our own, including texts of others. Tabs stay: scripts that are printed may need theirs. */
export const printableLines = (text: string): string =>
  text
    .split(/(\n|\t)/)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');

/** One JSON value; 64-bit and wider integers as decimal strings, which every reader takes unharmed. */
export function jsonText(value: unknown): string {
  const digits = (_: string, field: unknown) => (typeof field === 'bigint' ? field.toString() : field);
  return showHiddenInJson(JSON.stringify(value, digits, 2));
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
