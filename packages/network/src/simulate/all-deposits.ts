import type { RollupClient, RollupDeposit } from '@switchyard/client';

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
