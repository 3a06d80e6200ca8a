import { createSigner, Reader, Rejected, signEnvelope, Writer } from '@switchyard/protocol';
import { defineRollup, type RollupDefinition, readGenesis, rollupFields, startRollup } from '@switchyard/rollup';
import type { ProcessSpec } from '@switchyard/service';
import { expect, test } from 'vitest';
import { localNetwork, rollup } from './index.ts';
import { messengerClient } from './messenger-client.ts';

const TYPE = '/test.Poke';

interface Poke {
  readonly kind: 'poke';
}

/** A rollup of a user, in which something is not as it should be. */
function failing(faults: Partial<Pick<RollupDefinition<Poke, never>, 'actions' | 'onDeposit'>>) {
  const process: ProcessSpec<typeof rollupFields> = {
    ...{ name: 'poked', fields: rollupFields },
    async main(config, context) {
      await startRollup((text, file) => definitionOf(text, file, faults), config, context);
    },
  };
  return rollup({
    ...{ name: 'mine', process, client: messengerClient },
    genesis: ({ rollupName, chainId, bridge }) =>
      JSON.stringify({ rollup_name: rollupName, sequencer_chain_id: chainId, bridge_accounts: [{ bech32m: bridge }] }),
  });
}

function definitionOf(text: string, file: string, faults: Parameters<typeof failing>[0]) {
  return defineRollup<Poke, never>({
    name: 'poked',
    genesis: readGenesis(text, file, {}),
    transactions: { typeUrl: TYPE, maxBytes: 1_000, decodeBody },
    actions: { poke: { check: () => undefined, execute: () => undefined } },
    spends: () => [],
    initialState: () => undefined,
    onDeposit: () => {
      throw new Rejected('deposits-disabled');
    },
    ...faults,
  });
}

function decodeBody(body: Uint8Array) {
  const reader = new Reader(body, 'Poke');
  let chainId = '';
  while (reader.next()) {
    if (reader.field === 1) chainId = reader.string();
    else reader.skip();
  }
  return { nonce: 0, chainId, actions: [{ kind: 'poke' } as const] };
}

const poke = (chainId: string) =>
  signEnvelope(TYPE, new Writer().string(1, chainId).finish(), createSigner(new Uint8Array(32).fill(1)));

function brokenHandler(): never {
  throw new TypeError('the amount is no number');
}

test('whoever waits for an action that throws gets its name and the line, which the log of the rollup has too', async () => {
  const mine = failing({ actions: { poke: { check: () => undefined, execute: brokenHandler } } });
  await using network = await localNetwork({ rollups: [mine] });
  const client = network.client('mine');
  const { chainId } = await client.status();
  const { hash } = await client.submit(poke(chainId));
  const error = await client.waitFor(hash, 'executed', { timeoutMs: 60_000 }).catch(String);
  const report = `action poke of transaction ${hash}: TypeError: the amount is no number at Object.brokenHandler`;
  expect(error).toContain(report);
  expect(error).toMatch(/failing-rollup\.test\.ts:\d+:\d+/);
  expect(String(network.failed.reason)).toBe(error);
  expect(network.logs('mine').join('\n')).toContain(report);
  const ready = await network.fetch('mine', '/readyz');
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining(report)]);
});

test('a deposit that a rollup cannot credit is reported with the line', async () => {
  const mine = failing({ onDeposit: brokenHandler });
  await using network = await localNetwork({ rollups: [mine] });
  const { address } = network.accounts.bob;
  await network.deposit({ rollup: 'mine', to: address, amount: 5n });
  await expect.poll(() => network.failed.aborted, { timeout: 30_000 }).toBe(true);
  expect(String(network.failed.reason)).toMatch(
    /block \d+ cannot be executed: deposit 0 of transaction \w+: TypeError: the amount is no number at (Object\.)?brokenHandler .*failing-rollup\.test\.ts:\d+/,
  );
});

function endless(): never {
  for (;;);
}

test('an action that never ends is ended, and reported with its name; the network is closed all the same', async () => {
  const mine = failing({ actions: { poke: { check: () => undefined, execute: endless } } });
  await using network = await localNetwork({ rollups: [mine] });
  const client = network.client('mine');
  const { chainId } = await client.status();
  const { hash } = await client.submit(poke(chainId));
  const error = await client.waitFor(hash, 'executed', { timeoutMs: 60_000 }).catch(String);
  expect(error).toContain(`action poke of transaction ${hash}: Error: it has not ended within 3000 ms, and was ended`);
  expect(network.failed.aborted).toBe(true);
});

test('a check that throws at intake is in the log of the rollup with the name of its action', async () => {
  const mine = failing({ actions: { poke: { check: brokenHandler, execute: () => undefined } } });
  await using network = await localNetwork({ rollups: [mine] });
  const client = network.client('mine');
  const { chainId } = await client.status();
  await expect(client.submit(poke(chainId))).rejects.toThrow('internal error; see the log of this process');
  const log = network.logs('mine').join('\n');
  expect(log).toContain('action poke of transaction');
  expect(log).toContain('the amount is no number');
  expect(network.failed.aborted).toBe(false);
});
