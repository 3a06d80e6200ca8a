import type { AccountId } from '@switchyard/protocol';
import { errorLine } from '@switchyard/service';
import type { ApiContext } from './context.ts';

/** Nonce and balances of an account now. */
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
