/** A block of the local layer: a square of blobs, and a header that its one validator signs. No clock is read here. */
import {
  type CometHeader,
  commitHash,
  compareTimestamps,
  consensusParamsHash,
  createValidator,
  evidenceHash,
  headerHash,
  merkleRoot,
  NO_BLOCK,
  NO_COMMIT,
  oneMillisecondAfter,
  resultsHash,
  type SignedHeader,
  type Signer,
  sha256,
  type Timestamp,
  validatorSetHash,
  voteSignBytes,
} from '@switchyard/protocol';
import {
  type CelestiaBlob,
  dahHash,
  decodeBlobTx,
  type Square,
  sharesOfBlob,
  squareInSteps,
} from '@switchyard/protocol/celestia';
import { turn } from '@switchyard/service';

/** Limit that Celestia's governance sets today; the square of a block is at most this many shares wide. */
export const MAX_SQUARE_SIZE = 256;

/** The protocol of CometBFT's blocks, and the version of celestia-app whose rules these are. */
const VERSION = { block: 11n, app: 9n };

export interface BlockInput {
  readonly chainId: string;
  readonly validator: Signer;
  readonly last: SignedHeader | undefined;
  /** The time of day; the time of the block is later than that of the one before in any case. */
  readonly now: Timestamp;
  /** BlobTx each. */
  readonly txs: readonly Uint8Array[];
  /** After the block before. */
  readonly appHash: Uint8Array;
}

const STEPS_PER_TURN = 16;

/** The square of a block: by namespace, and within one in the order of transactions and of the blobs in each. */
export async function squareOfTxs(txs: readonly Uint8Array[]): Promise<Square> {
  const steps = squareInSteps(blobsInOrder(txs).flatMap(sharesOfBlob));
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done) return step.value;
    // The largest one takes half a second, in which no client would get an answer.
    if (count % STEPS_PER_TURN === 0) await turn();
  }
}

export function blobsInOrder(txs: readonly Uint8Array[]): CelestiaBlob[] {
  const blobs = txs.flatMap((tx) => decodeBlobTx(tx).blobs);
  return blobs.sort((a, b) => (a.namespace < b.namespace ? -1 : a.namespace > b.namespace ? 1 : 0));
}

export function makeHeader(input: BlockInput, square: Square): SignedHeader {
  const { chainId, validator, last, now, txs, appHash } = input;
  const dataHash = dahHash(square.dah);
  const set = getValidators(validator);
  const [{ address = new Uint8Array() } = {}] = set;
  const setHash = validatorSetHash(set);
  const least = last && oneMillisecondAfter(last.header.time);
  const header: CometHeader = {
    version: VERSION,
    chainId,
    height: (last?.header.height ?? 0n) + 1n,
    time: least !== undefined && compareTimestamps(now, least) < 0 ? least : now,
    lastBlockId: last?.commit.blockId ?? NO_BLOCK,
    lastCommitHash: commitHash(last?.commit ?? NO_COMMIT),
    dataHash,
    validatorsHash: setHash,
    nextValidatorsHash: setHash,
    consensusHash: consensusParamsHash({ maxBytes: -1n, maxGas: -1n }),
    appHash,
    lastResultsHash: resultsHash([]),
    evidenceHash: evidenceHash(),
    proposerAddress: address,
  };
  const { height, time } = header;
  const parts = toParts(txs);
  const blockId = { hash: headerHash(header), parts };
  const signature = validator.sign(voteSignBytes(chainId, { height, round: 0, blockId, timestamp: time }));
  const vote = { flag: 'commit' as const, validator: address, timestamp: time, signature };
  return { header, commit: { height, round: 0, blockId, signatures: [vote] } };
}

export function toParts(txs: readonly Uint8Array[]) {
  return { total: 1, hash: merkleRoot(txs.map((tx) => sha256(tx))) };
}

export function getValidators({ publicKey }: Signer) {
  return [createValidator(publicKey, 1n)];
}
