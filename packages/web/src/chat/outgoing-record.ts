import { object, optional, parseInput, type Read } from '@switchyard/client/rollup';
import { fromHex, toHex } from '@switchyard/protocol';
import type { Intent, Outgoing } from './outgoing.ts';

const STATES = ['waiting', 'accepted', 'ordered', 'executed', 'firm', 'refused'] as const;

/** Encodes messages as text that survives a reload of the page: nothing is lost, and nothing is signed twice. */
export const encodeOutgoing = (all: readonly Outgoing[]): string =>
  JSON.stringify(all, (_, value: unknown) => {
    if (value instanceof Uint8Array) return toHex(value);
    return typeof value === 'bigint' ? String(value) : value;
  });

const text: Read<string> = (input) => input.text();
const big: Read<bigint> = (input) => input.big();
const message = object({ text, name: text });
const payment = object({ to: text, amount: big, asset: text });

function intent(input: Parameters<Read<Intent>>[0]): Intent {
  const kind = input.at('kind').text();
  if (kind === 'text') return { kind, ...message(input) };
  return { kind: kind === 'withdrawal' ? kind : 'transfer', ...payment(input) };
}

const record = object({
  key: text,
  account: text,
  intent,
  state: (input) => STATES.find((each) => each === input.value) ?? input.fail('a state'),
  signed: optional(
    object({
      bytes: (input) => fromHex(input.text()),
      hash: text,
      blocks: optional(object({ first: big, last: big })),
    }),
  ),
  resigned: (input) => input.integer(),
  reason: optional(text),
});

/** @throws {InvalidData} if the text is something else. */
export const decodeOutgoing = (text: string): readonly Outgoing[] =>
  parseInput(text, 'outgoing')
    .list(1_000)
    .map(record)
    // The page may have ended while signed bytes were on their way.
    .map((one) => ({ ...one, isTried: one.signed !== undefined }));
