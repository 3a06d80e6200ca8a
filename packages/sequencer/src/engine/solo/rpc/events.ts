import { renderBlockId, renderHeader } from '@switchyard/protocol';
import type { Produced } from '../produce.ts';
import { decodeResults } from '../store/results.ts';
import type { EventKeys } from './query.ts';
import { base64, hex, renderBlock } from './render.ts';
import type { ChainEvent } from './subscriptions.ts';

/** An event in the JSON of results. */
interface RenderedEvent {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
}

/** The stored results of a block in addition to those of its transactions. */
interface BlockPart {
  readonly finalize_block_events: readonly RenderedEvent[] | null;
  readonly validator_updates: readonly object[] | null;
  readonly consensus_param_updates: object | null;
  readonly app_hash: string | null;
}

/** Kinds of events. CometBFT's others are of rounds, votes and evidence, which one validator does not have, and of validators. */
export const EVENTS: readonly string[] = ['NewRound', 'NewBlock', 'NewBlockHeader', 'NewBlockEvents', 'Tx'];

/** Events of a block, in the order in which CometBFT sends them. */
export function* iterateEvents({ made, results }: Produced): Generator<ChainEvent> {
  const { header, txs } = made.block;
  const height = String(header.height);
  const decoded = once(() => decodeResults(results));
  // Our own JSON, written by `encodeResults`.
  const ofBlock = once(() => JSON.parse(decoded().block) as BlockPart);
  const blockEvents = once(() => ofBlock().finalize_block_events ?? []);

  yield event('NewRound', {}, none, () => {
    // One validator decides in the first round.
    const proposer = { address: hex(header.proposerAddress), index: 0 };
    return JSON.stringify({ height, round: 0, step: 'RoundStepNewRound', proposer });
  });
  yield event('NewBlock', {}, blockEvents, () => {
    // CometBFT leaves out empty members, but for the updates of validators.
    const { finalize_block_events, validator_updates, consensus_param_updates, app_hash } = ofBlock();
    const members = [
      ...(finalize_block_events === null ? [] : [`"events":${JSON.stringify(finalize_block_events)}`]),
      ...(txs.length === 0 ? [] : [`"tx_results":[${decoded().txs.join(',')}]`]),
      `"validator_updates":${JSON.stringify(validator_updates ?? [])}`,
      ...(consensus_param_updates === null
        ? []
        : [`"consensus_param_updates":${JSON.stringify(consensus_param_updates)}`]),
      ...(app_hash === null ? [] : [`"app_hash":${JSON.stringify(app_hash)}`]),
    ];
    const finalized = `{${members.join(',')}}`;
    const block = JSON.stringify(renderBlock(made.block));
    return `{"block":${block},"block_id":${JSON.stringify(renderBlockId(made.id))},"result_finalize_block":${finalized}}`;
  });
  yield event('NewBlockHeader', {}, none, () => JSON.stringify({ header: renderHeader(header) }));
  yield event('NewBlockEvents', {}, blockEvents, () =>
    JSON.stringify({ height, events: ofBlock().finalize_block_events, num_txs: String(txs.length) }),
  );
  for (const [index, tx] of txs.entries()) {
    const hash = made.txHashes[index] ?? new Uint8Array();
    const result = once(() => decoded().txs[index] ?? '{}');
    const txEvents = once(() => (JSON.parse(result()) as { events: RenderedEvent[] }).events);
    yield event('Tx', { 'tx.hash': hex(hash), 'tx.height': height }, txEvents, () => {
      return `{"TxResult":{"height":"${height}","index":${index},"tx":"${base64(tx)}","result":${result()}}}`;
    });
  }
}

function none(): readonly RenderedEvent[] {
  return [];
}

function event(
  kind: string,
  keys: Readonly<Record<string, string>>,
  emitted: () => readonly RenderedEvent[],
  value: () => string,
): ChainEvent {
  const own: EventKeys = new Map(Object.entries({ 'tm.event': kind, ...keys }).map(([key, text]) => [key, [text]]));
  const allKeys = once(() => withEvents(own, emitted()));
  return {
    keys: own,
    allKeys,
    // Made once, however many subscribers there are.
    events: once(() => Buffer.from(JSON.stringify(Object.fromEntries(allKeys())))),
    data: once(() => Buffer.from(`{"type":"tendermint/event/${kind}","value":${value()}}`)),
  };
}

/** The keys of a transaction that is stored with this result. */
export function txKeys(hash: string, height: string, result: string): EventKeys {
  const own = new Map([
    ['tm.event', ['Tx']],
    ['tx.hash', [hash]],
    ['tx.height', [height]],
  ]);
  return withEvents(own, (JSON.parse(result) as { events: RenderedEvent[] }).events);
}

function withEvents(own: EventKeys, events: readonly RenderedEvent[]): EventKeys {
  const all = new Map<string, string[]>([...own].map(([key, values]) => [key, [...values]]));
  for (const { type, attributes } of events) {
    for (const { key, value } of attributes) {
      if (type === '' || key === '') continue;
      const name = `${type}.${key}`;
      const values = all.get(name);
      if (values === undefined) all.set(name, [value]);
      else values.push(value);
    }
  }
  return all;
}

/** Calls `make` on the first access. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
