import { toHex } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { blockInput } from '../../app/block-input.ts';
import { getGenesis, toRules } from '../../define/rules-of.ts';
import { count, notesRollup } from '../../testing/notes.ts';
import { signers } from '../../testing/tally.ts';
import { ExecutedChain } from './executed-chain.ts';
import { PlatformSignatures } from './known-transactions.ts';
import { signedWorld } from './signed-world.testing.ts';

const [alice] = signers;

async function world() {
  const made = await signedWorld(notesRollup);
  const rules = toRules(notesRollup, getGenesis(notesRollup, made.text, 'genesis'));
  const signatures = new PlatformSignatures();
  return {
    ...made,
    rules,
    async block(...data: readonly Uint8Array[]) {
      await made.node.client.submit.post({ text: 'a note', tags: [] }, alice, { until: 'accepted' });
      return made.block(...data);
    },
    async execute(chain: ExecutedChain, withoutPlatform = false) {
      const number = chain.head.number + 1n;
      const input = blockInput(await made.sequencer.filteredBlock(number, made.rollup), made.rollup);
      const known = await signatures.known(rules, input, number);
      return chain.execute(input, withoutPlatform ? () => undefined : known);
    },
  };
}

test('blocks have the hashes and roots of a node, and resume from their rows alone if these have the root', async () => {
  const made = await world();
  const chain = await ExecutedChain.begin(made.rules);
  const rows = new Map<string, Uint8Array | undefined>(chain.takeRows(true));
  for (let number = 1; number <= 4; number += 1) {
    const { hash } = await made.block(...(number === 2 ? [Uint8Array.of(1, 2)] : []));
    const changed = await made.execute(chain, number === 3);
    expect(chain.head.hash).toBe(hash);
    expect(changed).toContain(count.storeKey());
    expect(chain.head.stateRoot).toBe(made.node.chain.view.block.stateRoot);
  }
  for (const [key, value] of chain.takeRows(false)) rows.set(key, value);
  expect(chain.takeRows(false)).toEqual([]);
  const kept = [...rows].flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  const later = await ExecutedChain.resume(made.rules, chain.head, kept);
  const { hash } = await made.block();
  if (later === undefined) throw new Error('the rows have another root');
  await made.execute(later);
  expect(later.head.hash).toBe(hash);
  expect(toHex(later.state.get(count.storeKey()) ?? new Uint8Array())).toMatch(/05/);
  expect(await ExecutedChain.resume(made.rules, chain.head, kept.slice(1))).toBeUndefined();
  await made.node.stop();
});

test('a chain that begins with an exported state is not executed', async () => {
  const { rules, node } = await world();
  const exported = { ...rules, genesis: { ...rules.genesis, stateRoot: 'ab'.repeat(32) } };
  await expect(ExecutedChain.begin(exported)).rejects.toThrow('begins with an exported state');
  await node.stop();
});
