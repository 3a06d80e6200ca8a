import { Code, ConnectError, type ConnectRouter, createRouterTransport, type Transport } from '@connectrpc/connect';
import {
  type BlockMetadata,
  baseInputDigest,
  blockMetadataToWire,
  type CommitmentState,
  commitmentStateFromWire,
  commitmentStateToWire,
  decodeRollupData,
  nextInputDigest,
  type RollupData,
  type RollupId,
  rollupIdFromName,
  type SessionParameters,
  sessionToWire,
  type Timestamp,
} from '@switchyard/protocol';
import { execution2, ownExecution } from '@switchyard/protocol/gen';
import type { KeptDigest } from '../rollup.ts';

export const ROLLUP: RollupId = rollupIdFromName('test');

/** A rollup in memory that keeps the wire's session rules, and can be made to fail. */
export class FakeRollup {
  parameters: SessionParameters = {
    rollup: ROLLUP,
    rollupStartNumber: 1n,
    rollupEndNumber: undefined,
    sequencerChainId: 'test-chain',
    sequencerStartHeight: 1n,
    celestiaChainId: '',
    celestiaSearchHeightMaxLookAhead: 0n,
  };
  /** Levels that sessions stated, one for each session. */
  readonly levels: number[] = [];
  readonly texts: (readonly string[])[] = [];
  readonly calls: string[] = [];
  /** Errors for the next calls, one each. */
  readonly failures: ConnectError[] = [];
  canBatch = true;
  /** Runs before a request is answered. */
  beforeExecution: () => Promise<void> | void = () => undefined;
  /** Called for each question about a block. */
  onQuestion: () => void = () => undefined;
  /** Changes the answers. */
  bend: (block: BlockMetadata) => BlockMetadata = (block) => block;
  bendCommitments: (commitments: CommitmentState) => CommitmentState = (commitments) => commitments;
  /** Undefined: it does not state the inputs of its blocks, like older rollups. */
  digests: Map<bigint, KeptDigest> | undefined;
  readonly #blocks = new Map<bigint, BlockMetadata>();
  #sessions = 0;
  #commitments: CommitmentState | undefined;

  get commitments(): CommitmentState {
    this.#commitments ??= makeStart(this.parameters);
    return this.#commitments;
  }

  set commitments(commitments: CommitmentState) {
    this.#commitments = commitments;
  }

  /** Loses the session, as a restart does. */
  forgetSession(): void {
    this.#sessions += 1;
  }

  transport(): Transport {
    return createRouterTransport((router) => this.routes(router));
  }

  routes(router: ConnectRouter): void {
    router.service(execution2.ExecutionService, {
      createExecutionSession: ({ commitLevel }) => {
        this.levels.push(commitLevel);
        this.#called('session');
        this.#sessions += 1;
        const { parameters, commitments } = this;
        return sessionToWire({ id: this.#id(), parameters, commitments, firmMeaning: undefined });
      },
      executeBlock: async ({ sessionId, parentHash, transactions, timestamp, sequencerBlockHash }) => {
        await this.beforeExecution();
        this.#called('execute', sessionId);
        const texts = transactions.map(({ value }) => (value.case === 'sequencedData' ? decode(value.value) : '?'));
        const block = this.#execute(parentHash, texts, timestamp, sequencerBlockHash);
        return { executedBlockMetadata: blockMetadataToWire(this.bend(block)) };
      },
      getExecutedBlockMetadata: ({ identifier }) => {
        this.onQuestion();
        const number = identifier?.identifier.case === 'number' ? identifier.identifier.value : -1n;
        const block = this.#blocks.get(number);
        if (block === undefined) throw new ConnectError('no such block', Code.NotFound);
        return blockMetadataToWire(block);
      },
      updateCommitmentState: ({ sessionId, commitmentState }) => {
        this.#called('update', sessionId);
        if (commitmentState === undefined) throw new ConnectError('no state', Code.InvalidArgument);
        this.commitments = commitmentStateFromWire(commitmentState);
        return commitmentState;
      },
    });
    router.service(ownExecution.BatchExecutionService, {
      getInputDigests: ({ from, to }) => {
        if (this.digests === undefined) throw new ConnectError('no digests here', Code.Unimplemented);
        const wanted = [...this.digests.values()].filter(({ number }) => number >= from && number <= to);
        const rising = wanted.sort((left, right) => (left.number < right.number ? -1 : 1));
        return { digests: rising.map(({ number, hash, digest }) => ({ number, blockHash: hash, digest })) };
      },
      executeBlocks: async ({ sessionId, parentHash, blocks, commitFirm }) => {
        if (!this.canBatch) throw new ConnectError('no batches here', Code.Unimplemented);
        await this.beforeExecution();
        this.#called(`batch ${blocks.length}`, sessionId);
        const executed: BlockMetadata[] = [];
        for (const { transactions, timestamp, sequencerBlockHash } of blocks) {
          const texts = transactions.map((bytes) => toText(bytes));
          const block = this.#execute(executed.at(-1)?.hash ?? parentHash, texts, timestamp, sequencerBlockHash);
          this.#digest(block, transactions.map(decodeRollupData));
          executed.push(block);
        }
        const soft = executed.at(-1) ?? this.commitments.soft;
        this.commitments = { ...this.commitments, soft, firm: commitFirm ? soft : this.commitments.firm };
        return {
          blocks: executed.map((block) => blockMetadataToWire(this.bend(block))),
          commitmentState: commitmentStateToWire(this.bendCommitments(this.commitments)),
          inputDigest: this.digests?.get(soft.number)?.digest ?? new Uint8Array(0),
        };
      },
    });
  }

  #execute(
    parentHash: string,
    texts: readonly string[],
    timestamp: Timestamp | undefined,
    sequencerBlockHash: string,
  ): BlockMetadata {
    const number = BigInt(parentHash.slice('block '.length)) + 1n;
    if (timestamp === undefined) throw new ConnectError('no time', Code.InvalidArgument);
    const { seconds, nanos } = timestamp;
    this.texts[Number(number)] = texts;
    const hash = `block ${number}`;
    const block = { number, hash, parentHash, timestamp: { seconds, nanos }, sequencerBlockHash };
    this.#blocks.set(number, block);
    return block;
  }

  #digest({ number, hash, parentHash, timestamp, sequencerBlockHash }: BlockMetadata, entries: readonly RollupData[]) {
    const previous = this.digests?.get(number - 1n)?.digest ?? baseInputDigest(parentHash);
    const digest = nextInputDigest(previous, { entries, timestamp, sequencerBlockHash });
    this.digests?.set(number, { number, hash, digest });
  }

  /** Executes and commits blocks made up by another program. */
  forge(entries: readonly RollupData[], timestamp: Timestamp, sequencerBlockHash: string): void {
    const block = this.#execute(this.commitments.soft.hash, ['forged'], timestamp, sequencerBlockHash);
    this.#digest(block, entries);
    this.commitments = { ...this.commitments, soft: block, firm: block };
  }

  #called(what: string, session?: string): void {
    this.calls.push(what);
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    if (session !== undefined && session !== this.#id()) throw new ConnectError('old session', Code.PermissionDenied);
  }

  #id(): string {
    return `session ${this.#sessions}`;
  }
}

function makeStart({ rollupStartNumber }: SessionParameters): CommitmentState {
  const number = rollupStartNumber - 1n;
  const block = {
    number,
    hash: `block ${number}`,
    parentHash: '',
    timestamp: { seconds: 0n, nanos: 0 },
    sequencerBlockHash: '',
  };
  return { soft: block, firm: block, lowestCelestiaSearchHeight: 1n };
}

function toText(bytes: Uint8Array): string {
  const data = decodeRollupData(bytes);
  return data.kind === 'sequencedData' ? decode(data.data) : '?';
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
