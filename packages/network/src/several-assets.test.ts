import { sequencerClient } from '@switchyard/client';
import { createSigner, fromHex, parseAddress, parseAnyAddress, parseDenom } from '@switchyard/protocol';
import { action, address, asset, credit, defineRollup, query, table, text, u128, withdraw } from '@switchyard/rollup';
import { expect, test } from 'vitest';
import { toBridgeAccount } from './accounts/bridges.ts';
import { BadOptions, definedRollup, localNetwork } from './index.ts';

const held = table({ name: 'held', key: [address, asset], value: u128, absent: 0n });

/** A rollup that keeps two collaterals. */
const vault = defineRollup({
  name: 'vault',
  tables: [held],
  onDeposit({ destination, asset: name, amount }, state) {
    const account = parseAddress(destination);
    const { id } = parseDenom(name);
    credit(state, account, id, amount);
    held.put(state, [account, id], held.get(state, [account, id]) + amount);
    return account;
  },
  actions: {
    leave: action({
      fields: { to: text({ maxBytes: 128 }), asset, amount: u128 },
      execute({ to, asset: id, amount }, context) {
        withdraw(context.genesis, { to: parseAnyAddress(to), asset: id, amount, memo: '' }, context);
      },
    }),
  },
  queries: {
    held: query({
      parameters: { account: address, asset },
      answer: { amount: u128 },
      handle: ({ account, asset: id }, { state }) => ({ amount: held.get(state, [account, id]) }),
    }),
  },
});

const [first, second, other] = ['one', 'two', 'three'].map((name) => ({ bech32m: toBridgeAccount(name).address }));
const TRACE = 'transfer/channel-0/utia';
const genesis = (members: object = {}) =>
  JSON.stringify({
    ...{ rollup_name: 'vault', sequencer_chain_id: 'any', bridge_accounts: [first, second] },
    withdrawals: [
      { bridge_account: second, asset: TRACE, minimum: 5 },
      { bridge_account: first, asset: 'nria', minimum: 100 },
    ],
    ...members,
  });

// Defect: A rollup with two collaterals could be given deposits of one of them in a local network
test('each asset of a genesis is deposited and withdrawn, by a bridge account and a payer of its own', async () => {
  const rollup = definedRollup(vault, genesis());
  await using network = await localNetwork({
    ...{ rollups: [rollup], withdrawals: true, listen: { sequencer: { rpc: 0 } } },
  });
  const bridges = network.bridges[rollup.name] ?? [];
  expect(bridges.map((each) => each.asset)).toEqual([TRACE, 'nria']);
  expect(new Set(bridges.map(({ address }) => address)).size).toBe(2);
  const { alice, bob } = network.accounts;
  const { query: ask, submit } = network.client(rollup.name);
  const account = parseAddress(alice.address);
  const signer = createSigner(fromHex(alice.key));
  const held = async (name: string) => (await ask.held({ account, asset: parseDenom(name).id })).amount;
  await network.deposit({ rollup: 'vault', to: alice.address, amount: 1_000n });
  await network.deposit({ rollup: 'vault', to: alice.address, asset: TRACE, amount: 2_000n });
  await expect.poll(() => Promise.all([held('nria'), held(TRACE)]), { timeout: 30_000 }).toEqual([1_000n, 2_000n]);

  await submit.leave({ to: bob.address, asset: parseDenom('nria').id, amount: 400n }, signer);
  await submit.leave({ to: bob.address, asset: parseDenom(TRACE).id, amount: 700n }, signer);
  const getSheet = async (part: string) => {
    const status = (await (await network.fetch(part, '/status')).json()) as {
      asset: string;
      paid: number;
      sheet: object;
    };
    return [status.asset, status.paid, status.sheet];
  };
  for (const [part, name, minted] of [
    ['vault-withdrawer-2', 'nria', '600'],
    ['vault-withdrawer', TRACE, '1300'],
  ] as const) {
    const sheet = expect.objectContaining({ minted, unpaid: '0', isBalanced: true });
    await expect.poll(() => getSheet(part), { timeout: 30_000 }).toEqual([name, 1, sheet]);
  }
  const sequencer = sequencerClient({ rpcUrl: network.urls.sequencer?.rpc ?? '' });
  const { balances } = await sequencer.balances(bob.address);
  // The fee of a payment is kept back if it is in the paid asset.
  expect(new Map(balances.map((each) => [each.asset, each.amount]))).toEqual(
    new Map([
      ['nria', 388n],
      [TRACE, 700n],
    ]),
  );

  const unknown = network.deposit({ rollup: 'vault', to: alice.address, asset: 'points', amount: 1n });
  await expect(unknown).rejects.toThrow(
    new BadOptions(`deposit.asset: the genesis of vault has no bridge account of points: expected ${TRACE}, nria`),
  );
  await expect(network.deposit({ rollup: 'vault', to: alice.address, asset: 'a/b', amount: 1n })).rejects.toThrow(
    /malformed.*a\/b/,
  );
});

test('the only bridge account of a rollup takes deposits of its asset without a name', async () => {
  const only = genesis({ bridge_accounts: [second], withdrawals: [{ bridge_account: second, asset: 'points' }] });
  const rollup = definedRollup(vault, only);
  await using network = await localNetwork({ rollups: [rollup] });
  const { address: to } = network.accounts.bob;
  await network.deposit({ rollup: 'vault', to, amount: 7n });
  const ask = () =>
    network.client(rollup.name).query.held({ account: parseAddress(to), asset: parseDenom('points').id });
  await expect.poll(ask, { timeout: 30_000 }).toEqual({ amount: 7n });
});

// Defect: A genesis that its definition cannot read was found by the node alone, after a network had begun
test.each([
  [
    { withdrawals: [{ bridge_account: other, asset: 'nria' }] },
    `genesis: expected withdrawals of bridge accounts that bridge_accounts names, got ${other?.bech32m}; correct the file`,
  ],
  [
    { bridge_accounts: [{ bech32m: 'a' }] },
    'genesis: bridge_accounts[0].bech32m: expected a bech32m address of 20 bytes, got "a"; correct the file',
  ],
])('a genesis with %j is refused in one line', (members, line) => {
  expect(() => definedRollup(vault, genesis(members))).toThrow(new BadOptions(line));
});
