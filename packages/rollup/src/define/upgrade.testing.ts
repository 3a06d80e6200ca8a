import { openLmdbStore } from '@switchyard/machine';
import { formatAddress, fromHex } from '@switchyard/protocol';
import { u32, u64 } from '../schema/scalars.ts';
import { record } from '../schema/shapes.ts';
import { since } from '../schema/since.ts';
import { signers } from '../testing/tally.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { announceUpgrade, fingerprintAt } from './announce.ts';
import { type AnyRollup, action, defineRollup } from './definition.ts';
import { table } from './table.ts';
import { signTransaction } from './transaction.ts';

/* Executes a fixed history of a chain with an upgrade, block by block, until it is killed. */

const [alice] = signers;
/** Block of the upgrade, which block 2 announces. */
export const AT = 5n;
const CHAIN = 'shop-1';
export const GENESIS = JSON.stringify({
  ...{ rollup_name: 'shop', sequencer_chain_id: 'sequencer-0', chain_id: CHAIN },
  upgrade_authority: { bech32m: formatAddress(alice.account) },
});

const before = table({ name: 'things', key: u32, value: record({ size: u32 }) });
const things = table({ name: 'things', key: u32, value: record({ size: u32, price: since(AT, u64) }) });
const putting = (put: (...row: Parameters<typeof things.put>) => void) =>
  action({ fields: { id: u32 }, execute: ({ id }, { state }) => put(state, id, { size: id, price: 9n }) });
export const programs: Readonly<Record<string, AnyRollup>> = {
  old: defineRollup({ name: 'shop', tables: [before], actions: { put: putting(before.put), announceUpgrade } }),
  new: defineRollup({
    name: 'shop',
    tables: [things],
    actions: { put: putting(things.put), announceUpgrade },
    migrations: [{ at: AT, run: (state) => things.put(state, 1_000, { size: 1, price: 1n }) }],
  }),
};

/** The one transaction of a block. */
export async function getTransaction(number: bigint): Promise<Uint8Array> {
  const defined = programs.new as AnyRollup;
  const upgrade = { block: AT, definition: fromHex(fingerprintAt(defined.document, AT)), release: '2.0.0' };
  const chosen = number === 2n ? { kind: 'announceUpgrade', ...upgrade } : { kind: 'put', id: Number(number) };
  return signTransaction(defined, { nonce: Number(number) - 1, chainId: CHAIN, actions: [chosen] }, alice);
}

async function run(path: string, program: AnyRollup): Promise<void> {
  const node = await testRollup(program as never, GENESIS, { store: openLmdbStore(path) });
  for (;;) {
    const number = node.chain.view.soft + 1n;
    await node.block({ data: [await getTransaction(number)] });
    process.stdout.write(`${number} ${node.chain.view.block.stateRoot}\n`);
  }
}

const [, script = '', path = '', name = ''] = process.argv;
const program = programs[name];
if (script.endsWith('upgrade.testing.js') && program !== undefined) {
  await run(path, program).catch((error: unknown) => process.stdout.write(`stopped ${String(error)}\n`));
}
