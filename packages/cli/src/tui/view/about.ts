import type { Model } from '../model.ts';
import { flow, widthOf, wrap } from '../text.ts';

/** Before the rows that continue a line. */
const MORE = '    ';
const NARROW = 20;

/** A command to try: it wraps between its arguments, where a shell takes the rows for one line. */
const COMMAND = /^ +(?:switchyard|rollup-cli|npx|node|cast) /;
/** Arguments, with blanks only where quotes protect them; a comment stays together. */
const ARGUMENTS = /#.*$|(?:'[^']*'|"[^"]*"|[^\s'"])+/g;

/** URLs, accounts and commands to try. Lines wrap and are never cut, since people copy from them. */
export function aboutLines({ about, size: { columns } }: Model): string[] {
  if (about.length === 0) return ['Known once all services are ready.'];
  return about.flatMap((line) => {
    if (line.length <= columns) return [line];
    const text = line.trimStart();
    const indent = ' '.repeat(Math.min(line.length - text.length, Math.floor(columns / 2)));
    const more = columns < NARROW ? indent : indent + MORE;
    const room = columns - more.length;
    const rows = (COMMAND.test(line) ? commandRows(text, room) : undefined) ?? wrap(text, room);
    return rows.map((row, index) => (index === 0 ? indent : more) + row);
  });
}

/** @returns `undefined` where an argument is longer than a row. */
function commandRows(text: string, room: number): string[] | undefined {
  const parts = text.match(ARGUMENTS) ?? [];
  const width = room - CONTINUED.length;
  if (parts.some((part) => widthOf(part) > width)) return undefined;
  const rows = flow(parts, width, ' ');
  return rows.map((row, index) => (index < rows.length - 1 ? row + CONTINUED : row));
}

const CONTINUED = ' \\';
