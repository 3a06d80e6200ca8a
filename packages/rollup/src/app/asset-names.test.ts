import { credit } from '@switchyard/machine';
import {
  formatAddress,
  ibcForm,
  parseAnyAddress,
  parseDenom,
  rollupIdFromName,
  txHashFromBytes,
} from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { action, defineRollup, query } from '../define/definition.ts';
import { event } from '../define/events.ts';
import { refusal } from '../define/refusals.ts';
import { table } from '../define/table.ts';
import { asset, u64 } from '../schema/scalars.ts';
import { list, option, record } from '../schema/shapes.ts';
import { signers } from '../testing/tally.ts';
import { testRollup } from '../testing/test-rollup.ts';

const [alice] = signers;
const seen = table({
  name: 'seen',
  key: asset,
  value: record({ all: list(asset, { maxItems: 3 }), count: option(u64) }),
});
const named = event('named', { asset });
const unwanted = refusal('unwanted', { asset });
const assets = defineRollup({
  name: 'assets',
  genesis: { coins: list(asset, { maxItems: 2 }) },
  tables: [seen],
  events: [named],
  refusals: [unwanted],
  actions: {
    name: action({
      fields: { asset, isUnwanted: option(u64) },
      execute({ asset: given, isUnwanted }, context) {
        if (isUnwanted !== undefined) throw unwanted({ asset: given });
        seen.put(context.state, given, { all: [given], count: undefined });
        named.emit(context, { asset: given });
      },
    }),
  },
  queries: {
    all: query({
      answer: { assets: list(asset, { maxItems: 9 }) },
      handle: (_, { state }) => ({ assets: seen.range(state, { limit: 9 }).map(([each]) => each) }),
    }),
  },
  onDeposit({ asset: deposited, amount }, state) {
    credit(state, alice.account, parseDenom(deposited).id, amount);
    return alice.account;
  },
});

test('answers have the names of assets of the genesis and of deposits, and clients read them', async () => {
  const bridge = formatAddress(signers[1].account);
  const genesis = {
    rollup_name: 'assets',
    sequencer_chain_id: 'sequencer-0',
    coins: ['points'],
    bridge_accounts: [{ bech32m: bridge }],
  };
  const node = await testRollup(assets, JSON.stringify(genesis));
  const bridged = 'transfer/channel-0/utia';
  const unknown = parseDenom('other').id;
  await node.block({
    deposits: [
      {
        ...{
          bridge: parseAnyAddress(bridge),
          rollup: rollupIdFromName('assets'),
          asset: bridged,
          amount: 5n,
          destination: '',
        },
        ...{ sourceTransaction: txHashFromBytes(new Uint8Array(32)), sourceAction: 0n },
      },
    ],
  });
  for (const each of ['points', bridged, 'other'])
    await node.client.submit.name({ asset: parseDenom(each).id }, alice, { until: 'accepted' });
  await node.block();
  const names = ['points', bridged, ibcForm(unknown)];
  const sorted = names.toSorted((one, other) => (parseDenom(one).id < parseDenom(other).id ? -1 : 1));
  expect((await node.get('/v1/tables/seen')).body).toMatchObject({
    rows: sorted.map((each) => ({ key: [each], value: { all: [each] } })),
  });
  expect((await node.get('/v1/state/seen')).body).toMatchObject({
    rows: sorted.map((key) => ({ key, decoded: { all: [key] } })),
  });
  expect((await node.get(`/v1/state/seen?after=${encodeURIComponent(sorted[1] ?? '')}`)).body).toMatchObject({
    rows: [{ key: sorted[2] }],
  });
  expect((await node.get('/v1/state/balances')).body).toMatchObject({
    rows: [{ key: `${formatAddress(alice.account)}/${bridged}`, decoded: '5' }],
  });
  expect((await node.get('/v1/events')).body).toMatchObject({
    events: names.toReversed().map((each) => ({ event: { kind: 'named', asset: each } })),
  });
  expect((await node.get('/v1/all')).body).toEqual({ assets: sorted });
  expect(await node.client.query.all()).toEqual({ assets: sorted.map((each) => parseDenom(each).id) });

  const { hash } = await node.client.submit.name({ asset: parseDenom('points').id, isUnwanted: 1n }, alice, {
    until: 'accepted',
  });
  await node.block();
  expect((await node.get(`/v1/transactions/${hash}`)).body).toMatchObject({
    refusal: { kind: 'unwanted', facts: { asset: 'points' } },
  });
  await node.stop();
});
