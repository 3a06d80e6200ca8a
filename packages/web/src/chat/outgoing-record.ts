import { parseInput, VALID_FOR } from '@switchyard/client/rollup';
import { fromHex, toHex } from '@switchyard/protocol';
import type { Intent, Outgoing, Signed } from './outgoing.ts';

const STATES = ['waiting', 'accepted', 'ordered', 'executed', 'firm', 'refused'] as const;

/** Encodes messages as text that survives a reload of the page: nothing is lost, and nothing is signed twice. */
export function encodeOutgoing(all: readonly Outgoing[]): string {
  return JSON.stringify(
    all.map(({ signed, intent, ...one }) => ({
      ...one,
      intent: intent.kind === 'text' ? intent : { ...intent, amount: String(intent.amount) },
      ...(signed && {
        signed: {
          bytes: toHex(signed.bytes),
          hash: signed.hash,
          ...(signed.blocks && { lastBlock: String(signed.blocks.last) }),
        },
      }),
    })),
  );
}

/** @throws {InvalidData} if the text is something else. */
export function decodeOutgoing(text: string): readonly Outgoing[] {
  return parseInput(text, 'outgoing')
    .list(1_000)
    .map((one) => {
      const state = STATES.find((each) => each === one.at('state').text()) ?? one.at('state').fail('a state');
      const intent = one.at('intent');
      const signed = one.at('signed').optional((each) => ({
        bytes: fromHex(each.at('bytes').text()),
        hash: each.at('hash').text(),
        ...blocksFrom(each),
      }));
      const reason = one.at('reason').optional((each) => each.text());
      return {
        key: one.at('key').text(),
        account: one.at('account').text(),
        intent: readIntent(intent),
        state,
        // The page may have ended while they were on their way.
        isTried: signed !== undefined,
        resigned: one.at('resigned').integer(),
        ...(signed && { signed }),
        ...(reason !== undefined && { reason }),
      };
    });
}

function blocksFrom(signed: ReturnType<typeof parseInput>): Pick<Signed, 'blocks'> {
  const last = signed.at('lastBlock').optional((each) => each.big());
  return last === undefined ? {} : { blocks: { first: last - BigInt(VALID_FOR - 1), last } };
}

function readIntent(intent: ReturnType<typeof parseInput>): Intent {
  return intent.at('kind').text() === 'text'
    ? { kind: 'text', text: intent.at('text').text(), name: intent.at('name').text() }
    : {
        kind: intent.at('kind').text() === 'withdrawal' ? 'withdrawal' : 'transfer',
        to: intent.at('to').text(),
        amount: intent.at('amount').big(),
        asset: intent.at('asset').text(),
      };
}
