import type { AccountId } from '@switchyard/protocol';
import { errorLine } from '@switchyard/service';
import { schema } from '@switchyard/service/api';
import type { ApiContext } from './context.ts';
import { amountSchema } from './schemas.ts';

/** Members of an answer that come from the node; without its answer there is `problem`. */
export const holdingMembers = {
  nonce: schema.nullable(schema.integer('Transactions of the account; null where the node does not answer')),
  balances: schema.nullable(schema.list(amountSchema)),
  balancesAt: schema.optional(schema.u64('Height of the balances')),
  problem: schema.optional(schema.text('Why something is missing in this answer')),
};

/** What an account holds now. */
export async function holdings({ client, address, log, signal }: ApiContext, account: AccountId) {
  try {
    const text = address(account) ?? '';
    const [{ balances, height }, { nonce }] = await Promise.all([
      client.balances(text, signal),
      client.nonce(text, signal),
    ]);
    return {
      nonce,
      balances: balances.map(({ asset, amount }) => ({ asset, amount: String(amount) })),
      balancesAt: height,
    };
  } catch (error) {
    log.debug({ error: errorLine(error) }, 'the sequencer gave no balances');
    return { nonce: null, balances: null, problem: 'the sequencer does not answer' };
  }
}
