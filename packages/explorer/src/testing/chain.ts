import type { NodeBlock, TxExecution } from '@switchyard/client';
import {
  type Action,
  type CometHeader,
  commitRollupData,
  createValidator,
  NO_BLOCK,
  NO_COMMIT,
  type RollupId,
  type Signer,
  sha256,
  signTransaction,
  toHex,
  txHashOf,
} from '@switchyard/protocol';
import { alice, signedHeader } from '@switchyard/protocol/testing';
import { TransportFailure } from '@switchyard/service';
import type { BlockSource } from '../sequencer/indexer.ts';

/** A transaction of a test chain, with its result. */
export interface TestTransaction {
  readonly actions: readonly Action[];
  readonly signer?: Signer;
  readonly result?: Partial<TxExecution>;
}

const validator = createValidator(alice.publicKey, 10n);
const bytes32 = (text: string) => sha256(new TextEncoder().encode(text));

/** A sequencer node whose chain a test makes, block by block. Its hashes are unique and mean nothing. */
export class TestChain implements BlockSource {
  isAway = false;
  earliest = 1;
  readonly #name: string;
  readonly #blocks: { readonly block: NodeBlock; readonly results: readonly TxExecution[] }[] = [];
  #nonce = 0;

  /** @param name Chains of another name have other hashes. */
  constructor(
    name = 'one',
    readonly chainId = 'test-chain',
  ) {
    this.#name = name;
  }

  get height(): number {
    return this.#blocks.length;
  }

  hashAt(height: number): string {
    return toHex(this.#at(BigInt(height)).block.id.hash);
  }

  /** @returns the hashes of the transactions. */
  add(...transactions: readonly TestTransaction[]): string[] {
    const height = BigInt(this.#blocks.length + 1);
    const data = new Map<RollupId, Uint8Array[]>();
    const encoded = transactions.map(({ actions, signer = alice }) =>
      signTransaction({ nonce: this.#nonce++, chainId: this.chainId, actions }, signer),
    );
    const { rollupTransactionsRoot, rollupIdsRoot } = commitRollupData(data);
    const before = this.#blocks.at(-1)?.block;
    const id = { hash: bytes32(`${this.#name} ${height}`), parts: { total: 1, hash: bytes32('parts') } };
    const header: CometHeader = {
      version: { block: 11n, app: 1n },
      chainId: this.chainId,
      height,
      time: { seconds: 1_700_000_000n + height, nanos: 0 },
      lastBlockId: before?.id ?? NO_BLOCK,
      lastCommitHash: bytes32('commit'),
      dataHash: bytes32('data'),
      validatorsHash: bytes32('validators'),
      nextValidatorsHash: bytes32('validators'),
      consensusHash: bytes32('consensus'),
      appHash: bytes32('app'),
      lastResultsHash: bytes32('results'),
      evidenceHash: bytes32('evidence'),
      proposerAddress: validator.address,
    };
    const vote = {
      flag: 'commit' as const,
      validator: validator.address,
      timestamp: header.time,
      signature: bytes32('s'),
    };
    const lastCommit =
      before === undefined ? NO_COMMIT : { height: height - 1n, round: 0, blockId: before.id, signatures: [vote] };
    const executed: TxExecution = { code: 0, log: '', events: [] };
    const results = [executed, executed, ...transactions.map(({ result }) => ({ ...executed, ...result }))];
    const block = { id, header, txs: [rollupTransactionsRoot, rollupIdsRoot, ...encoded], lastCommit };
    this.#blocks.push({ block, results });
    return encoded.map(txHashOf);
  }

  async status() {
    this.#mustAnswer();
    return {
      chainId: this.chainId,
      moniker: 'test',
      version: '0',
      latestHeight: BigInt(this.#blocks.length),
      latestHash: '',
      latestTime: '',
      earliestHeight: BigInt(this.earliest),
      catchingUp: false,
    };
  }

  async block(height = BigInt(this.#blocks.length)) {
    this.#mustAnswer();
    return this.#at(height).block;
  }

  async blockResults(height: bigint) {
    this.#mustAnswer();
    return [...this.#at(height).results];
  }

  async executedBlocks(heights: readonly bigint[]) {
    return Promise.all(
      heights.map(async (height) => ({
        block: await this.block(height),
        results: await this.blockResults(height),
      })),
    );
  }

  /** Signed for real, and of no other use: the chain's own hashes mean nothing. */
  async commit(height: bigint) {
    this.#mustAnswer();
    this.#at(height);
    return signedHeader(height, [alice], this.chainId);
  }

  async validators() {
    this.#mustAnswer();
    return [validator];
  }

  #mustAnswer(): void {
    if (this.isAway) throw new TransportFailure('no answer');
  }

  #at(height: bigint) {
    const found = Number(height) < this.earliest ? undefined : this.#blocks[Number(height) - 1];
    if (found === undefined) throw new Error(`no block ${height}`);
    return found;
  }
}
