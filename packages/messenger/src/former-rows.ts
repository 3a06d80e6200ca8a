import { accountIdFromBytes, assetIdFromBytes } from '@switchyard/protocol';
import type { FormerRows } from '@switchyard/rollup/node';
import { journal, KINDS, texts } from './tables.ts';

/*
 * Rows of databases from before logs, some texts or movements of a block in each. Block (8 bytes), seconds (8), nanos (4), then those of
 * `TEXT` or, behind their number (4), of `MOVEMENT`.
 */

const HEADER = 20;
/** Hash (32), sender (20), lengths of name and text (2 each); then these. */
const TEXT = 56;
/** Kind (1), hash (32), two accounts (20 each), asset (32), amount (16). */
const MOVEMENT = 121;

export const formerRows: readonly FormerRows[] = [
  {
    prefix: 'index/texts/',
    convert(row, append) {
      const bytes = toBuffer(row);
      append(blockOf(bytes), (state) => {
        for (let at = HEADER; at < row.length; ) {
          const name = at + TEXT;
          const text = name + bytes.readUInt16BE(at + 52);
          const end = text + bytes.readUInt16BE(at + 54);
          texts.append(state, {
            ...{ transaction: row.subarray(at, at + 32), sender: accountIdFromBytes(row.subarray(at + 32, at + 52)) },
            ...{ name: bytes.toString('utf8', name, text), text: bytes.toString('utf8', text, end) },
          });
          at = end;
        }
      });
    },
  },
  {
    prefix: 'index/journal/',
    convert(row, append) {
      const bytes = toBuffer(row);
      append(blockOf(bytes), (state) => {
        for (let at = HEADER + 4; at < row.length; at += MOVEMENT) {
          const account = (from: number) => accountIdFromBytes(row.subarray(at + from, at + from + 20));
          journal.append(state, {
            ...{ kind: KINDS[bytes[at] ?? 0] ?? 'transfer', transaction: row.subarray(at + 1, at + 33) },
            ...{ from: account(33), to: account(53), asset: assetIdFromBytes(row.subarray(at + 73, at + 105)) },
            amount: (bytes.readBigUInt64BE(at + 105) << 64n) | bytes.readBigUInt64BE(at + 113),
          });
        }
      });
    },
  },
  ...['text-count', 'text-terms', 'journal-count', 'journal-terms'].map((name) => ({ prefix: `index/${name}/` })),
];

const toBuffer = (row: Uint8Array): Buffer => Buffer.from(row.buffer, row.byteOffset, row.length);

const blockOf = (bytes: Buffer) => ({
  number: bytes.readBigUInt64BE(),
  time: { seconds: bytes.readBigUInt64BE(8), nanos: bytes.readUInt32BE(16) },
});
