import { createSigner, Reader, Rejected, signEnvelope, Writer } from '@switchyard/protocol';
import { type RollupDefinition, readGenesis, rollupFields, startRollup } from '@switchyard/rollup/node';
import type { ProcessSpec } from '@switchyard/service';
import { expect, test } from 'vitest';
import { localNetwork, rollup } from './index.ts';
import { messengerClient } from './messenger-client.ts';

const TYPE = '/test.Poke';

/** A rollup of a user, in which something is not as it should be. */
function failing(faults: Partial<Pick<RollupDefinition, 'actions' | 'onDeposit'>>) {
  const process: ProcessSpec<typeof rollupFields> = {
    ...{ name: 'poked', fields: rollupFields },
    async main(config, context) {
      await startRollup((text, file) => makeDefinition(text, file, faults), config, context);
    },
  };
  return rollup({
    ...{ name: 'mine', process, client: messengerClient },
    genesis: ({ rollupName, chainId, bridge }) =>
      JSON.stringify({ rollup_name: rollupName, sequencer_chain_id: chainId, bridge_accounts: [{ bech32m: bridge }] }),
  });
}

function makeDefinition(text: string, file: string, faults: Parameters<typeof failing>[0]): RollupDefinition {
  return {
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
  };
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

const LINE = /TypeError: the amount is no number at (Object\.)?brokenHandler .*failing-rollup\.test\.ts:\d+/;

function brokenHandler(): never {
  throw new TypeError('the amount is no number');
}

// Defect: A bug of a handler was seen nowhere in a test
test('an action that throws is refused as a bug, whose line is in the log of the rollup', async () => {
  const mine = failing({ actions: { poke: { check: () => undefined, execute: brokenHandler } } });
  const printed: string[] = [];
  await using network = await localNetwork({ rollups: [mine], note: (line) => void printed.push(line) });
  const client = network.client('mine');
  const { chainId } = await client.status();
  const { hash } = await client.submit(poke(chainId));
  const error = await client.waitFor(hash, 'executed', { timeoutMs: 60_000 }).catch(String);
  const report = 'bug: action poke, error TypeError: the amount is no number';
  expect(error).toContain(report);
  expect(printed).toEqual([expect.stringMatching(/^mine: .* ERROR handlers: a handler has a bug action=poke /)]);
  expect(printed[0]).toMatch(LINE);
  expect(network.failed.aborted).toBe(false);
  const ready = await network.fetch('mine', '/readyz');
  expect([ready.status, await ready.json()]).toEqual([
    200,
    expect.objectContaining({ status: 'degraded', reason: expect.stringContaining(report) }),
  ]);
});

test('a deposit that a rollup cannot credit is skipped, and reported with the line', async () => {
  const mine = failing({ onDeposit: brokenHandler });
  await using network = await localNetwork({ rollups: [mine] });
  const { address } = network.accounts.bob;
  await network.deposit({ rollup: 'mine', to: address, amount: 5n });
  await expect.poll(() => network.logs('mine').join('\n'), { timeout: 30_000 }).toMatch(LINE);
  expect(network.failed.aborted).toBe(false);
});

function endless(): never {
  for (;;);
}

// Defect: A rollup that could not execute a block was ready
test('an action that never ends is ended, and reported with its name; the network is closed all the same', async () => {
  const mine = failing({ actions: { poke: { check: () => undefined, execute: endless } } });
  await using network = await localNetwork({ rollups: [mine] });
  const client = network.client('mine');
  const { chainId } = await client.status();
  const { hash } = await client.submit(poke(chainId));
  const error = await client.waitFor(hash, 'executed', { timeoutMs: 60_000 }).catch(String);
  expect(error).toContain(`action poke of transaction ${hash} has not ended within 3000 ms, and was ended`);
  expect(network.failed.aborted).toBe(true);
  const ready = await network.fetch('mine', '/readyz');
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('action poke of transaction')]);
});

// Defect: A `check` that throws broke the whole batch at the intake, with no line
test('a check that throws at intake is in the log of the rollup with the name of its action', async () => {
  const mine = failing({ actions: { poke: { check: brokenHandler, execute: () => undefined } } });
  await using network = await localNetwork({ rollups: [mine] });
  const client = network.client('mine');
  const { chainId } = await client.status();
  await expect(client.submit(poke(chainId))).rejects.toThrow('bug: action poke, error TypeError');
  expect(network.logs('mine').join('\n')).toMatch(/bug: action poke.*failing-rollup\.test\.ts:\d+/s);
  expect(network.failed.aborted).toBe(false);
});

test('a check that never ends is ended at intake: its action is refused with its name, other actions are taken', async () => {
  const mine = failing({ actions: { poke: { check: endless, execute: () => undefined } } });
  const printed: string[] = [];
  await using network = await localNetwork({ rollups: [mine], note: (line) => void printed.push(line) });
  const client = network.client('mine');
  const { chainId } = await client.status();
  const submit = () => client.submit(poke(chainId)).catch(String);
  const rest = 'action poke: its code has not ended, so that this node takes none for 60 s';
  expect([await submit(), await submit()]).toEqual([expect.stringContaining(rest), expect.stringContaining(rest)]);
  expect(printed).toContainEqual(
    expect.stringMatching(/ERROR handlers: .*check of action poke has not ended within 3000 ms/),
  );
  expect(network.failed.aborted).toBe(false);
  const ready = await network.fetch('mine', '/readyz');
  const reason = expect.stringContaining('check of action poke has not ended within 3000 ms');
  expect([ready.status, await ready.json()]).toEqual([200, expect.objectContaining({ status: 'degraded', reason })]);
});
