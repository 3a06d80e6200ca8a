import type { Model } from '../model.ts';
import { wrap } from '../text.ts';

/** URLs, accounts and commands to try. Lines wrap and are never cut, since people copy from them. */
export function aboutLines({ about, size: { columns } }: Model): string[] {
  if (about.length === 0) return ['Known once all services are ready.'];
  return about.flatMap((line) => (line === '' ? [''] : wrap(line, columns)));
}
