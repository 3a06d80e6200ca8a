import { signedBlockJson, validatorsJson } from '@switchyard/client/signed-blocks';
import { FakeSequencer } from '@switchyard/client/testing';
import { type Signer, toHex } from '@switchyard/protocol';
import type { Actions, DefinedRollup, Parameters, Queries } from '../../define/definition.ts';
import type { Events } from '../../define/events.ts';
import { testRollup } from '../../testing/test-rollup.ts';
import type { ChainFacts, ChainStorage } from './chain-storage.ts';

type Answer = Record<string, unknown>;

/** A node in memory whose blocks are made from signed ones of a sequencer, and an explorer of that. Answers of both can be changed. */
export async function signedWorld<G extends Parameters, A extends Actions, Q extends Queries, E extends Events>(
  definition: DefinedRollup<G, A, Q, E>,
  genesis: object = {},
  signers?: readonly Signer[],
) {
  const text = JSON.stringify({ rollup_name: definition.name, sequencer_chain_id: 'sequencer-0', ...genesis });
  const node = await testRollup(definition, text);
  const { rollup } = node.node.genesis;
  const world = {
    node,
    text,
    rollup,
    sequencer: new FakeSequencer('sequencer-0', signers),
    /** Changes an answer. */
    forge: (_path: string, answer: Answer): Answer => answer,
    /** Makes a block of all that the composer holds, and more data, and has the node execute it. */
    async block(...data: readonly Uint8Array[]) {
      const all = [...node.composer.queued, ...data];
      world.sequencer.produceBlock(new Map(all.length === 0 ? [] : [[rollup, all]]));
      const { hash, header } = await world.sequencer.filteredBlock(world.sequencer.height, rollup);
      return node.block({ data, timestamp: header.time, sequencerBlockHash: toHex(hash) });
    },
    async fetch(url: string, init: RequestInit): Promise<Response> {
      const { pathname, searchParams, host } = new URL(url);
      if (host === 'node') {
        const answer = await node.app.request(url, init);
        return Response.json(world.forge(pathname, (await answer.json()) as Answer), { status: answer.status });
      }
      const from = BigInt(searchParams.get('from') ?? 1);
      const end = from + BigInt(searchParams.get('limit') ?? 100);
      const { sequencer } = world;
      const blocks = [];
      const sets = new Map<string, ReturnType<typeof validatorsJson>>();
      for (let height = from; height < end && height <= sequencer.height; height += 1n) {
        const [block, signed] = [await sequencer.filteredBlock(height, rollup), await sequencer.commit(height)];
        blocks.push(signedBlockJson({ block, signed }));
        sets.set(toHex(signed.header.validatorsHash), validatorsJson(await sequencer.validators(height)));
      }
      const answer = { blocks, validators: [...sets.values()], newest: Number(sequencer.height) };
      return Response.json(world.forge(pathname, answer));
    },
  };
  return world;
}

/** Keeps a chain until the end of the process. */
export function memoryStorage(): ChainStorage {
  const rows = new Map<string, Uint8Array>();
  let kept: ChainFacts | undefined;
  return {
    read: async () => (kept === undefined ? undefined : { facts: kept, rows: [...rows], isOwn: true }),
    async write(facts, changed, isWhole) {
      if (isWhole) rows.clear();
      for (const [key, value] of changed) {
        if (value === undefined) rows.delete(key);
        else rows.set(key, value);
      }
      kept = facts;
    },
  };
}
