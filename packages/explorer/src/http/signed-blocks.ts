import { signedBlockJson, validatorsJson } from '@switchyard/client/signed-blocks';
import { type RollupId, toHex } from '@switchyard/protocol';
import { withDeadline } from '@switchyard/service';
import type { AnyRoute } from '@switchyard/service/api';
import { signed } from '../contract/rollups.ts';
import { answer } from './answer.ts';
import type { ApiContext } from './context.ts';
import { HeldAnswers } from './held-answers.ts';
import { mapped } from './problems.ts';
import { getRollup } from './rollups.ts';
import { upstream } from './upstream.ts';

/** Blocks that are read from the sequencer at a time, and JSON of blocks that is held for other readers. */
const READ_AT_ONCE = 8;
const HELD_BYTES = 32 * 1_048_576;
const ANSWER_BYTES = 4 * 1_048_576;

/** A rollup may have executed a block before the explorer knows of it. */
const WAIT_MS = 2_000;

/** The state of the index: a newer one, if that comes soon and the present one lacks the block. */
async function stateWith({ sequencer, signal }: ApiContext, height: number) {
  if (sequencer.state().latest < height)
    await withDeadline({ ms: WAIT_MS, signal }, (until) => sequencer.changed.wait(until)).catch(() => undefined);
  return sequencer.state();
}

/** Blocks of the sequencer with all data of one rollup. Any number of readers cost one read of a block. */
export function signedBlocksRoute(context: ApiContext): AnyRoute {
  const { client, signal } = context;
  const held = new HeldAnswers<{ readonly json: ReturnType<typeof signedBlockJson>; readonly set: string }>(
    HELD_BYTES,
    ({ json }) => json.block.length + json.signedHeader.length,
  );
  let highest = 0;
  const sets = new HeldAnswers<ReturnType<typeof validatorsJson>>(256);
  const read = (id: RollupId, height: bigint, chain: string) =>
    held.get(`${id} ${height}`, chain, async () => {
      const [block, signed] = await Promise.all([
        client.filteredBlock(height, id, signal),
        client.commit(height, signal),
      ]);
      return { json: signedBlockJson({ block, signed }), set: toHex(signed.header.validatorsHash) };
    });
  return answer(signed.getSignedBlocks, async ({ path: { rollup }, query: { from, limit } }) => {
    const id = getRollup(context, rollup);
    const { latest, chainId = '' } = await stateWith(context, from);
    // A sequencer that begins again has other blocks at the same heights.
    if (latest < highest) held.clear();
    highest = latest;
    const end = Math.min(from + limit, latest + 1);
    const found = [];
    const used = new Map<string, bigint>();
    for (let height = from, bytes = 0; height < end && bytes < ANSWER_BYTES; height += READ_AT_ONCE) {
      const heights = Array.from({ length: Math.min(READ_AT_ONCE, end - height) }, (_, index) =>
        BigInt(height + index),
      );
      const blocks = await mapped(upstream('the sequencer'), () =>
        Promise.all(heights.map((each) => read(id, each, chainId))),
      );
      for (const [index, { json, set }] of blocks.entries()) {
        bytes += json.block.length + json.signedHeader.length;
        if (bytes > ANSWER_BYTES && found.length > 0) break;
        found.push(json);
        if (!used.has(set)) used.set(set, BigInt(height + index));
      }
    }
    const validators = await mapped(upstream('the sequencer'), () =>
      Promise.all(
        [...used].map(([set, height]) =>
          sets.get(set, chainId, async () => validatorsJson(await client.validators(height, signal))),
        ),
      ),
    );
    return { blocks: found, validators, newest: latest };
  });
}
