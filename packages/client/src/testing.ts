import { Code, ConnectError } from '@connectrpc/connect';
import {
  buildSequencerBlock,
  type CometHeader,
  type Commit,
  type CommitSig,
  commitHash,
  commitRollupData,
  createSigner,
  createValidator,
  dataHash,
  encodeFilteredBlock,
  encodeSignedHeader,
  evidenceHash,
  type FilteredBlock,
  headerHash,
  NO_BLOCK,
  NO_COMMIT,
  type RollupId,
  type SequencerBlock,
  type SignedHeader,
  type Signer,
  type Validator,
  validatorSetHash,
  voteSignBytes,
} from '@switchyard/protocol';
import { encodeSequencedData, filterBlock } from '@switchyard/protocol/testing';
import { Notifier } from '@switchyard/service';
import type { StreamedBlocks } from './sequencer/sequencer-grpc.ts';

export { stateQueries } from './sequencer/queries.ts';

interface Stored {
  readonly block: SequencerBlock;
  readonly signed: SignedHeader;
  readonly validators: readonly Validator[];
}

const NOTHING = new Uint8Array(32);

/** A chain with real headers and signatures, in memory, whose node can be made to misbehave. */
export class FakeSequencer {
  readonly chainId: string;
  readonly #blocks: Stored[] = [];
  readonly #news = new Notifier();
  #signers: readonly Signer[];
  #nextSigners: readonly Signer[];
  /** Changes blocks before they are served. */
  tamper: (block: FilteredBlock, signed: SignedHeader) => readonly [FilteredBlock, SignedHeader] = (...both) => both;
  /** Serves another validator set than the real one. */
  lieAboutValidators: readonly Validator[] | undefined;
  pushes = true;
  away = false;
  /** Blocks below are deleted. */
  lowest = 1n;
  readonly asked: string[] = [];

  constructor(chainId = 'test-chain', signers: readonly Signer[] = [testSigner(1)]) {
    this.chainId = chainId;
    this.#signers = signers;
    this.#nextSigners = signers;
  }

  get height(): bigint {
    return BigInt(this.#blocks.length);
  }

  /** From the block after the next one on. */
  changeValidators(signers: readonly Signer[]): void {
    this.#nextSigners = signers;
  }

  /** Makes a block with these texts for a rollup. */
  produce(rollup: RollupId, ...texts: readonly string[]): void {
    const data = texts.map((text) => new TextEncoder().encode(text));
    this.produceBlock(new Map(texts.length === 0 ? [] : [[rollup, data]]));
  }

  /** Makes a block with this data for rollups. */
  produceBlock(data: ReadonlyMap<RollupId, readonly Uint8Array[]>): void {
    const committed = commitRollupData(new Map([...data].map(([id, list]) => [id, list.map(encodeSequencedData)])));
    const items = [committed.rollupTransactionsRoot, committed.rollupIdsRoot];
    const validators = getValidators(this.#signers);
    const previous = this.#blocks.at(-1)?.signed.commit;
    const header: CometHeader = {
      version: { block: 11n, app: 1n },
      chainId: this.chainId,
      height: this.height + 1n,
      time: { seconds: 1_700_000_000n + this.height, nanos: 5 },
      lastBlockId: previous?.blockId ?? NO_BLOCK,
      lastCommitHash: commitHash(previous ?? NO_COMMIT),
      dataHash: dataHash(items),
      validatorsHash: validatorSetHash(validators),
      nextValidatorsHash: validatorSetHash(getValidators(this.#nextSigners)),
      consensusHash: NOTHING,
      appHash: NOTHING,
      lastResultsHash: NOTHING,
      evidenceHash: evidenceHash(),
      proposerAddress: validators[0]?.address ?? new Uint8Array(20),
    };
    const { height, time, proposerAddress } = header;
    const hash = headerHash(header);
    const block = buildSequencerBlock({
      hash,
      chainId: this.chainId,
      height,
      time,
      proposer: proposerAddress,
      items,
      committed,
    });
    const commit = signCommit(header, this.#signers);
    this.#blocks.push({ block, signed: { header, commit }, validators });
    this.#signers = this.#nextSigners;
    this.#news.notify();
  }

  async genesisChainId(): Promise<string> {
    this.#answer('genesis');
    return this.chainId;
  }

  async latestHeight(): Promise<bigint> {
    this.#answer('height');
    return this.height;
  }

  async filteredBlock(height: bigint, rollup: RollupId): Promise<FilteredBlock> {
    this.#answer(`block ${height}`);
    return this.#served(height, rollup)[0];
  }

  async sequencerBlock(height: bigint): Promise<SequencerBlock> {
    this.#answer(`whole block ${height}`);
    const { block, signed } = this.#at(height);
    return this.tamper(
      filterBlock(
        block,
        block.rollups.map(({ rollup }) => rollup),
      ),
      signed,
    )[0];
  }

  async commit(height: bigint): Promise<SignedHeader> {
    this.#answer(`commit ${height}`);
    const { block, signed } = this.#at(height);
    return this.tamper(filterBlock(block, []), signed)[1];
  }

  async validators(height: bigint): Promise<readonly Validator[]> {
    this.#answer(`validators ${height}`);
    return this.lieAboutValidators ?? this.#at(height).validators;
  }

  async *streamFilteredBlocks(from: bigint, rollup: RollupId, signal: AbortSignal): AsyncGenerator<StreamedBlocks> {
    this.#answer(`stream ${from}`);
    if (!this.pushes) throw new ConnectError('no stream here', Code.Unimplemented);
    for (let next = from; ; ) {
      if (next < this.lowest) throw this.#deleted(next);
      if (this.away) throw new ConnectError('the connection is lost', Code.Unavailable);
      const blocks = [];
      for (; next <= this.height && blocks.length < 4; next++) {
        const [block, signed] = this.#served(next, rollup);
        blocks.push({ block: encodeFilteredBlock(block), signedHeader: encodeSignedHeader(signed) });
      }
      yield { blocks, latest: this.height };
      if (next > this.height) await this.#news.wait(signal);
    }
  }

  /** Wakes the streams, so that they notice changes. */
  stir(): void {
    this.#news.notify();
  }

  #answer(question: string): void {
    this.asked.push(question);
    if (this.away) throw new ConnectError('the sequencer is away', Code.Unavailable);
  }

  #served(height: bigint, rollup: RollupId): readonly [FilteredBlock, SignedHeader] {
    const { block, signed } = this.#at(height);
    return this.tamper(filterBlock(block, [rollup]), signed);
  }

  #deleted(height: bigint): ConnectError {
    return new ConnectError(
      `block ${height} is not kept by this node, lowest height is ${this.lowest}`,
      Code.OutOfRange,
    );
  }

  #at(height: bigint): Stored {
    if (height < this.lowest) throw this.#deleted(height);
    const stored = this.#blocks[Number(height) - 1];
    if (stored === undefined) throw new ConnectError(`no block ${height}`, Code.NotFound);
    return stored;
  }
}

export function testSigner(number: number): Signer {
  return createSigner(new Uint8Array(32).fill(number));
}

export function getValidators(signers: readonly Signer[]): readonly Validator[] {
  return signers.map(({ publicKey }) => createValidator(publicKey, 10n));
}

/** A commit with a vote of each signer. */
export function signCommit(header: CometHeader, signers: readonly Signer[]): Commit {
  const blockId = { hash: headerHash(header), parts: { total: 1, hash: NOTHING } };
  const timestamp = { seconds: header.time.seconds + 1n, nanos: 0 };
  const message = voteSignBytes(header.chainId, { height: header.height, round: 0, blockId, timestamp });
  const signatures = signers.map(
    ({ publicKey, sign }): CommitSig => ({
      flag: 'commit',
      validator: createValidator(publicKey, 0n).address,
      timestamp,
      signature: sign(message),
    }),
  );
  return { height: header.height, round: 0, blockId, signatures };
}
