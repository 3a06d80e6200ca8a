import type { Model } from '../model.ts';
import { wrap } from '../text.ts';

/** Before the rows that continue a line. */
const MORE = '    ';
const NARROW = 20;

/** URLs, accounts and commands to try. Lines wrap and are never cut, since people copy from them. */
export function aboutLines({ about, size: { columns } }: Model): string[] {
  if (about.length === 0) return ['Known once all services are ready.'];
  return about.flatMap((line) => {
    if (line.length <= columns) return [line];
    const text = line.trimStart();
    const indent = ' '.repeat(Math.min(line.length - text.length, Math.floor(columns / 2)));
    const more = columns < NARROW ? indent : indent + MORE;
    return wrap(text, columns - more.length).map((row, index) => (index === 0 ? indent : more) + row);
  });
}
