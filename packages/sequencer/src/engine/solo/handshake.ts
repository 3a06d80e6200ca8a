import { accountBytes, decodeBlock, decodeSignedHeader, type Signer, toHex } from '@switchyard/protocol';
import type { Application, Genesis, InitResult } from '../../app/types.ts';
import type { EngineLog } from '../engine.ts';
import { type ChainState, initialState, loadState } from './chain-state.ts';
import { toLastCommit } from './make-block.ts';
import type { BlockStore } from './store/block-store.ts';

export interface HandshakeInput {
  readonly app: Application;
  readonly store: BlockStore;
  readonly genesis: Genesis;
  readonly signer: Signer;
  readonly signal: AbortSignal;
  readonly log: EngineLog;
}

/**
 * Brings the application to the last stored block, as CometBFT does: a new one is initialized, and an application that lacks
 * blocks, because it was killed between the two writes or because its data was removed, gets them again.
 *
 * @returns the state after the last block, or `undefined` when `signal` aborted on the way.
 * @throws {Error} in one line, when application, blocks, genesis and key do not belong together.
 */
export async function handshake(input: HandshakeInput): Promise<ChainState | undefined> {
  const { app, store, genesis, signer, log } = input;
  const info = app.info();
  if (info.height > store.height) {
    throw new Error(
      `the application is at height ${info.height}, the blocks end at ${store.height}: the two databases do not belong together; restore both from one backup, or remove both to start over`,
    );
  }
  const before = info.height === 0n ? initialize(app, genesis, signer) : undefined;
  if (store.height === 0n) {
    if (before === undefined) throw new Error(`no block is stored: height=${info.height}`);
    return before;
  }
  checkStored(input);
  let state = before ?? loadState(store, info.height);
  if (before !== undefined && store.first > before.height + 1n) {
    throw new Error(
      `the application has no state, and blocks below height ${store.first} are deleted: it cannot be made again from the blocks; restore the whole data directory from a backup, or remove all of it to start over`,
    );
  }
  if (before !== undefined && before.height + 1n !== store.first) {
    throw new Error(
      `the genesis file starts at height ${before.height + 1n}, the stored blocks at ${store.first}; use the genesis file of this chain`,
    );
  }
  if (before === undefined) checkAppHash(info.height, state.appHash, info.appHash);
  if (state.height < store.height) {
    log.info({ from: state.height + 1n, to: store.height }, 'replaying blocks that the application lacks');
  }
  while (state.height < store.height) {
    if (input.signal.aborted) return undefined;
    state = await replay(input, state);
  }
  return state;
}

function initialize(app: Application, genesis: Genesis, signer: Signer): ChainState {
  const init = app.initChain(genesis);
  return initialState(genesis, init, ownPower(init, signer));
}

function ownPower({ validators }: InitResult, signer: Signer): bigint {
  const [only] = validators;
  const own = signer.account.toUpperCase();
  if (only === undefined)
    throw new Error(`the genesis file has no validators; put the one of the validator key there, address ${own}`);
  if (validators.length > 1 || Buffer.compare(only.publicKey, signer.publicKey) !== 0) {
    throw new Error(
      `the genesis file has ${validators.length} validators: the solo engine needs exactly the one of the validator key, address ${own}, public key ${Buffer.from(signer.publicKey).toString('base64')}`,
    );
  }
  return only.power;
}

function checkStored({ store, genesis, signer }: HandshakeInput): void {
  const stored = store.signedHeader(store.height);
  if (stored === undefined) throw new Error(`no stored block: height=${store.height}`);
  const { header } = decodeSignedHeader(stored);
  if (header.chainId !== genesis.chainId) {
    throw new Error(
      `the stored blocks are of chain ${header.chainId}, the genesis file is of chain ${genesis.chainId}; use the genesis file of this chain, or another data directory`,
    );
  }
  if (Buffer.compare(header.proposerAddress, accountBytes(signer.account)) !== 0) {
    const proposer = toHex(header.proposerAddress).toUpperCase();
    throw new Error(
      `the stored blocks are signed by validator ${proposer}, the validator key is of ${signer.account.toUpperCase()}; use the key of this chain`,
    );
  }
}

async function replay({ app, store, signer }: HandshakeInput, state: ChainState): Promise<ChainState> {
  const height = state.height + 1n;
  const bytes = store.block(height);
  if (bytes === undefined) throw new Error(`no stored block: height=${height}`);
  const { header, txs } = decodeBlock(bytes);
  checkAppHash(state.height, header.appHash, state.appHash);
  const after = loadState(store, height);
  const result = app.finalizeBlock({
    height,
    time: header.time,
    proposer: header.proposerAddress,
    txs,
    misbehavior: [],
    lastCommit: toLastCommit(state, accountBytes(signer.account)),
    hash: after.blockId.hash,
  });
  checkAppHash(height, after.appHash, result.appHash);
  await app.commit();
  return after;
}

function checkAppHash(height: bigint, expected: Uint8Array, got: Uint8Array): void {
  if (Buffer.compare(expected, got) === 0) return;
  throw new Error(
    `the application's state after height ${height} is not the one in the blocks: expected ${toHex(expected)}, got ${toHex(got)}; its data is of another chain or version`,
  );
}
