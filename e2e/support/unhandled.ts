import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { UNHANDLED } from '@switchyard/service';

/**
 * Fails the scenario (scripts/unhandled/setup.mjs) when one of our services says that nobody handled an error. Services
 * get an environment that the tool makes for them, so that nothing can be loaded into them.
 */
export function recordUnhandled(output: Readable): void {
  const file = process.env.SWITCHYARD_TEST_UNHANDLED;
  if (file === undefined) return;
  createInterface({ input: output }).on('line', (line) => {
    if (line.includes(`: ${UNHANDLED}`)) appendFileSync(file, `${line}\n`);
  });
}
