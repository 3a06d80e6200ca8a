import { type BodyForm, schema } from '@switchyard/service/api';
import { parseInput } from '@switchyard/service/input';
import { decodeBatch, MAX_BATCH_ITEMS } from './batch-body.ts';

/** Signed transactions as a client sends them. */
export type Submission =
  | { readonly kind: 'one'; readonly bytes: Uint8Array }
  | { readonly kind: 'batch'; readonly items: readonly Uint8Array[] };

const BASE64 = '^(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';
const base64 = schema.matching(
  { description: 'The bytes of a signed transaction', contentEncoding: 'base64', pattern: BASE64, minLength: 4 },
  'base64 of a signed transaction',
  (text) => new Uint8Array(Buffer.from(text, 'base64')),
);
const one = schema.object({ transaction: base64 }, { name: 'TransactionBody' });
const many = schema.object(
  { transactions: schema.list(base64, { minItems: 1, maxItems: MAX_BATCH_ITEMS }) },
  { name: 'TransactionsBody' },
);

const bytes = (description: string) => ({ type: 'string', contentMediaType: 'application/octet-stream', description });
const getInput = (body: Uint8Array) => parseInput(new TextDecoder().decode(body), 'body');

const protobuf: BodyForm<Submission> = {
  schema: bytes('A signed transaction in protobuf'),
  read: (body) => ({ kind: 'one', bytes: body }),
};

/** One transaction in protobuf, or one or more in JSON. */
export const SUBMISSION = {
  'application/octet-stream': protobuf,
  'application/protobuf': protobuf,
  'application/json': {
    schema: schema.oneOf(one, many).json,
    read(body): Submission {
      const input = getInput(body);
      const isBatch = input.isObject && input.at('transactions').isPresent;
      if (isBatch) return { kind: 'batch', items: many.read(input).transactions };
      return { kind: 'one', bytes: one.read(input).transaction };
    },
  } satisfies BodyForm<Submission>,
};

/** Many, each behind its length or in JSON. */
export const BATCH = {
  'application/octet-stream': {
    schema: bytes('For each signed transaction its length in four bytes, big-endian, and its bytes'),
    read: (body): readonly Uint8Array[] => decodeBatch(body),
  } satisfies BodyForm<readonly Uint8Array[]>,
  'application/json': {
    schema: many.json,
    read: (body): readonly Uint8Array[] => many.read(getInput(body)).transactions,
  } satisfies BodyForm<readonly Uint8Array[]>,
};
