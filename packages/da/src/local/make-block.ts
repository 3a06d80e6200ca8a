/** A block of the local layer: a square of blobs, and a header that its one validator signs. No clock is read here. */
import * as protocol from '@switchyard/protocol';
import * as celestia from '@switchyard/protocol/celestia';
import { turn } from '@switchyard/service';

/** Limit that Celestia's governance sets today; the square of a block is at most this many shares wide. */
export const MAX_SQUARE_SIZE = 256;

/** The protocol of CometBFT's blocks, and the version of celestia-app whose rules these are. */
const VERSION = { block: 11n, app: 9n };

export interface BlockInput {
  readonly chainId: string;
  readonly validator: protocol.Signer;
  readonly last: protocol.SignedHeader | undefined;
  /** The time of day; the time of the block is later than that of the one before in any case. */
  readonly now: protocol.Timestamp;
  /** BlobTx each. */
  readonly txs: readonly Uint8Array[];
  /** After the block before. */
  readonly appHash: Uint8Array;
}

const STEPS_PER_TURN = 16;

/** The square of a block: by namespace, and within one in the order of transactions and of the blobs in each. */
export async function squareOfTxs(txs: readonly Uint8Array[]): Promise<celestia.Square> {
  const steps = celestia.squareInSteps(blobsInOrder(txs).flatMap(celestia.sharesOfBlob));
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done) return step.value;
    // The largest one takes half a second, in which no client would get an answer.
    if (count % STEPS_PER_TURN === 0) await turn();
  }
}

export function blobsInOrder(txs: readonly Uint8Array[]): celestia.CelestiaBlob[] {
  const blobs = txs.flatMap((tx) => celestia.decodeBlobTx(tx).blobs);
  return blobs.sort((a, b) => (a.namespace < b.namespace ? -1 : a.namespace > b.namespace ? 1 : 0));
}

export function makeHeader(input: BlockInput, square: celestia.Square): protocol.SignedHeader {
  const { chainId, validator, last, now, txs, appHash } = input;
  const dataHash = celestia.dahHash(square.dah);
  const set = getValidators(validator);
  const [{ address = new Uint8Array() } = {}] = set;
  const setHash = protocol.validatorSetHash(set);
  const least = last && protocol.oneMillisecondAfter(last.header.time);
  const header: protocol.CometHeader = {
    version: VERSION,
    chainId,
    height: (last?.header.height ?? 0n) + 1n,
    time: least !== undefined && protocol.compareTimestamps(now, least) < 0 ? least : now,
    lastBlockId: last?.commit.blockId ?? protocol.NO_BLOCK,
    lastCommitHash: protocol.commitHash(last?.commit ?? protocol.NO_COMMIT),
    dataHash,
    validatorsHash: setHash,
    nextValidatorsHash: setHash,
    consensusHash: protocol.consensusParamsHash({ maxBytes: -1n, maxGas: -1n }),
    appHash,
    lastResultsHash: protocol.resultsHash([]),
    evidenceHash: protocol.evidenceHash(),
    proposerAddress: address,
  };
  const { height, time } = header;
  const parts = toParts(txs);
  const blockId = { hash: protocol.headerHash(header), parts };
  const signature = validator.sign(protocol.voteSignBytes(chainId, { height, round: 0, blockId, timestamp: time }));
  const vote = { flag: 'commit' as const, validator: address, timestamp: time, signature };
  return { header, commit: { height, round: 0, blockId, signatures: [vote] } };
}

export function toParts(txs: readonly Uint8Array[]) {
  return { total: 1, hash: protocol.merkleRoot(txs.map((tx) => protocol.sha256(tx))) };
}

export function getValidators({ publicKey }: protocol.Signer) {
  return [protocol.createValidator(publicKey, 1n)];
}
