import { Rejected } from '@switchyard/protocol';
import { type BodyForm, schema } from '@switchyard/service/api';
import { parseInput } from '@switchyard/service/input';
import { decodeBatch, MAX_BATCH_ITEMS } from './batch-body.ts';

/** Signed transactions as a client sends them. */
export type Submission =
  | { readonly kind: 'one'; readonly bytes: Uint8Array }
  | { readonly kind: 'batch'; readonly items: readonly Uint8Array[] };

const base64 = schema.parsed(
  { description: 'The bytes of a signed transaction', contentEncoding: 'base64', minLength: 4 },
  'base64 of a signed transaction',
  (text) => {
    if (!/^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$|^[A-Za-z0-9+/]{2,3}={1,2}$/.test(text)) {
      throw new RangeError('not base64');
    }
    return new Uint8Array(Buffer.from(text, 'base64'));
  },
);
const one = schema.object({ transaction: base64 }, { name: 'TransactionBody' });
const many = schema.object(
  { transactions: schema.list(base64, { minItems: 1, maxItems: MAX_BATCH_ITEMS }) },
  { name: 'TransactionsBody' },
);

const bytes = (description: string) => ({ type: 'string', contentMediaType: 'application/octet-stream', description });
const json: BodyForm<Submission> = {
  schema: schema.oneOf(one, many).json,
  read(body) {
    const input = parseInput(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'), 'body');
    if (input.isObject && input.at('transactions').isPresent) {
      return { kind: 'batch', items: many.read(input).transactions };
    }
    return { kind: 'one', bytes: one.read(input).transaction };
  },
};
const protobuf: BodyForm<Submission> = {
  schema: bytes('A signed transaction in protobuf'),
  read: (body) => ({ kind: 'one', bytes: body }),
};
const framed: BodyForm<Submission> = {
  schema: bytes('For each signed transaction its length in four bytes, big-endian, and its bytes'),
  read: (body) => ({ kind: 'batch', items: decodeBatch(body) }),
};

/** One transaction in protobuf, or one or more in JSON. */
export const SUBMISSION = {
  'application/octet-stream': protobuf,
  'application/protobuf': protobuf,
  'application/json': json,
};

/** Many, each behind its length. */
export const BATCH = { 'application/octet-stream': framed, 'application/json': json };

/** @throws {Rejected} where there is only one. */
export function itemsOf(submission: Submission): readonly Uint8Array[] {
  if (submission.kind === 'batch') return submission.items;
  throw new Rejected('malformed', { field: 'body', expected: 'transactions, a list', got: 'transaction' });
}
