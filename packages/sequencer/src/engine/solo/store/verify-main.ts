#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Segments } from './segments.ts';
import { verifyLog } from './verify-log.ts';

/* `switchyard verify` runs this for the blocks of a solo engine: `verify-main.js DIRECTORY`, one JSON value on stdout. */

const [, , directory = ''] = process.argv;
const blocks = join(directory, 'blocks');
const empty = {
  records: 0,
  bytes: 0,
  first: 0n,
  last: 0n,
  problems: [{ file: blocks, what: 'the block files are missing' }],
};
const segments = existsSync(blocks) ? new Segments(blocks) : undefined;
const verified = segments === undefined || segments.all.length === 0 ? empty : verifyLog(segments);
process.stdout.write(
  `${JSON.stringify(verified, (_, value) => (typeof value === 'bigint' ? Number(value) : value))}\n`,
);
await segments?.close();
