import type { RollupClient, RollupDeposit } from '@switchyard/client';
import { requestPath } from '@switchyard/client/rollup';
import { listWithdrawals } from '@switchyard/client/rollup-contract';
import type { Withdrawn } from './house.ts';

/** Every deposit that a rollup keeps, oldest first. */
export async function allDeposits(client: RollupClient): Promise<readonly RollupDeposit[]> {
  const found: RollupDeposit[] = [];
  let page = await client.deposits();
  for (;;) {
    found.unshift(...[...page.items].reverse());
    if (page.older === undefined) return found;
    page = await client.deposits({ before: page.older });
  }
}

/** Every withdrawal of a rollup. */
export async function allWithdrawals(client: RollupClient): Promise<readonly Withdrawn[]> {
  const found: Withdrawn[] = [];
  let before: bigint | undefined;
  do {
    const answer = await client.get(requestPath(listWithdrawals, { before, limit: 200 }));
    const page = listWithdrawals.answers[200].read(answer);
    found.push(...page.withdrawals.map(({ eventId, amount }) => ({ eventId, amount: BigInt(amount) })));
    before = page.older === null ? undefined : BigInt(page.older);
  } while (before !== undefined);
  return found;
}
