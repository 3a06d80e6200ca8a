import type { RollupBlock, SequencerBlock, Violation } from './observed.ts';

/** A block of the sequencer if the layer has it. */
export interface PostedBlock {
  readonly height: number;
  readonly hash: string;
  readonly layerHeight: number;
}

/** Blocks and data that an account has posted. */
export interface PostedView {
  /** One for each time that a block was posted, in the order of the layer. */
  readonly blocks: readonly PostedBlock[];
  /** Hashes of the blocks whose data for the rollup was posted, by transaction, one for each copy. */
  readonly data: ReadonlyMap<string, readonly string[]>;
  /** Transactions of the account in blocks of the layer, each of which has paid. */
  readonly paid: number;
  /** Blobs of the account in the namespace of the sequencer: each of its transactions has one. */
  readonly lists: number;
}

/** The firm block of a rollup, at some moment. */
export interface FirmBlock {
  readonly number: number;
  readonly hash: string;
}

interface Seen {
  readonly sequencerBlocks: readonly SequencerBlock[];
  readonly rollupBlocks: readonly RollupBlock[];
  /** Heights of the sequencer blocks whose data for the rollup has a transaction, one for each copy. */
  readonly sequenced: ReadonlyMap<string, readonly number[]>;
  readonly posted: PostedView;
  readonly firm: readonly FirmBlock[];
  /** Sequencer blocks up to this height were waited for. */
  readonly upTo: number;
  readonly genesisHeight: number;
}

/** Each block of the sequencer is in the layer once, with its data, in its order; and the rollup has every block that was ever firm. */
export function checkPosted({
  sequencerBlocks,
  rollupBlocks,
  sequenced,
  posted,
  firm,
  upTo,
  genesisHeight,
}: Seen): Violation[] {
  const found: Violation[] = [];
  const violated = (check: string, detail: string): void => void found.push({ check, detail });
  const hashes = new Map(sequencerBlocks.map(({ height, hash }) => [height, hash]));
  const heights = new Map(sequencerBlocks.map(({ height, hash }) => [hash, height]));

  const places = new Map<number, number[]>();
  for (const { height, hash, layerHeight } of posted.blocks) {
    places.set(height, [...(places.get(height) ?? []), layerHeight]);
    if (hashes.has(height) && hashes.get(height) !== hash)
      violated('posted-other', `block ${height} was posted as ${hash}, the sequencer has ${hashes.get(height)}`);
  }
  for (const { height } of sequencerBlocks) {
    const at = places.get(height) ?? [];
    if (at.length === 0 && height <= upTo) violated('not-posted', `sequencer block ${height}`);
    if (at.length > 1) violated('posted-twice', `sequencer block ${height}: at ${at.join(', ')} of the layer`);
  }
  for (const [index, { height }] of posted.blocks.entries()) {
    const before = posted.blocks[index - 1];
    if (before !== undefined && height < before.height)
      violated('posted-order', `block ${height} was posted after ${before.height}`);
  }
  if (posted.paid !== posted.lists)
    violated('paid', `${posted.paid} transactions were paid for, ${posted.lists} have a list of blocks`);

  for (const [id, expected] of sequenced) {
    const at = (posted.data.get(id) ?? []).map((hash) => heights.get(hash) ?? -1);
    const due = expected.filter((height) => height <= upTo || at.includes(height));
    if (at.join() !== due.join())
      violated('posted-data', `${id} is in sequencer blocks ${due.join(', ')}, posted of ${at.join(', ') || 'none'}`);
  }

  const blocks = new Map(rollupBlocks.map(({ number, hash }) => [number, hash]));
  for (const { number, hash } of firm) {
    if (number > 0 && blocks.get(number) !== hash)
      violated('firm', `rollup block ${number} was firm as ${hash}, the rollup has ${blocks.get(number) ?? 'none'}`);
  }
  const newest = Math.max(0, ...firm.map(({ number }) => number));
  if (genesisHeight + newest < upTo)
    violated('firm', `rollup block ${newest} is firm, sequencer block ${upTo} was posted`);
  return found;
}
