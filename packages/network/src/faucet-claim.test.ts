import { parseAddress, parseDenom } from '@switchyard/protocol';
import { action, address, asset, credit, defineRollup, transfer, u128 } from '@switchyard/rollup';
import { expect, test } from 'vitest';
import { definedRollup, localNetwork, messenger } from './index.ts';

test('the faucet of a messenger pays with the transfer of its definition', async () => {
  await using network = await localNetwork({ rollups: [messenger()], faucet: true });
  const address = 'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk';
  const before = await network.client('messenger').balance(address);
  const body = JSON.stringify({ address });
  const answer = await network.fetch('messenger-faucet', '/api/claim', { method: 'POST', body });
  const { msg, amount } = (await answer.json()) as Record<string, string>;
  expect([answer.status, amount]).toEqual([200, '1']);
  const hash = /^Txhash: ([0-9a-f]{64})$/.exec(msg ?? '')?.[1] ?? '';
  const { state, events } = await network.client('messenger').waitFor(hash);
  expect([state, events]).toMatchObject([/executed|firm/, [{ kind: 'transfer' }]]);
  expect((await network.client('messenger').balance(address)) - before).toBe(1_000_000_000n);
});

test('the faucet of an own rollup gives what was deposited to its account', async () => {
  const shop = defineRollup({
    name: 'shop',
    onDeposit({ destination, asset: name, amount }, state) {
      const account = parseAddress(destination);
      credit(state, account, parseDenom(name).id, amount);
      return account;
    },
    actions: {
      transfer: action({
        fields: { to: address, asset, amount: u128 },
        execute: ({ to, asset: id, amount }, { state, signer }) => transfer(state, signer, to, id, amount),
      }),
    },
  });
  const bridge = { bech32m: 'astria1kk3d0u5v0h5a786gvks6yfedeh349yh2dq3acv' };
  const genesis = { rollup_name: 'shop', sequencer_chain_id: 'any', bridge_accounts: [bridge] };
  const own = definedRollup(shop, JSON.stringify(genesis));
  await using network = await localNetwork({ rollups: [own], faucet: true });
  const { rollup } = network.client(own.name);
  const { account } = (await (await network.fetch('shop-faucet', '/status')).json()) as { readonly account: string };
  const held = async (account: string) =>
    (await rollup.get(`/v1/state/balances/${account}/nria`)).at('decoded').optional((each) => each.big());
  await network.deposit({ rollup: 'shop', to: account, amount: 5_000_000_000n });
  const to = network.accounts.bob.address;
  const claim = { method: 'POST', body: JSON.stringify({ address: to }) };
  // Until it has seen the deposit, it has nothing to give.
  while ((await network.fetch('shop-faucet', '/api/claim', claim)).status !== 200) await network.mine(1);
  while ((await held(to)) === undefined) await network.mine(1);
  expect([await held(to), await held(account)]).toEqual([1_000_000_000n, 4_000_000_000n]);
});
