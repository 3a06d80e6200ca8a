import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { UNHANDLED } from '@switchyard/service';

/**
 * Fails the scenario (scripts/unhandled/setup.mjs) when one of our services logs an unhandled error. Services
 * get an environment that the tool makes for them, so that nothing can be loaded into them. Resolves at the end of the output.
 */
export async function recordUnhandled(output: Readable): Promise<void> {
  const file = process.env.SWITCHYARD_TEST_UNHANDLED;
  if (file === undefined) return;
  for await (const line of createInterface({ input: output })) {
    if (line.includes(`: ${UNHANDLED}`)) appendFileSync(file, `${line}\n`);
  }
}
