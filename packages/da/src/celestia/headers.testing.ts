/** Headers of a chain whose validators change, really signed. */
import {
  type CometHeader,
  createSigner,
  createValidator,
  evidenceHash,
  headerHash,
  NO_BLOCK,
  type Signer,
  toHex,
  validatorSetHash,
  voteSignBytes,
} from '@switchyard/protocol';
import { buildSquare, dahHash, type ExtendedHeader } from '@switchyard/protocol/celestia';
import { sortValidators } from '@switchyard/protocol/testing';

const NOTHING = new Uint8Array(32);
const { dah } = buildSquare([]);

export interface TestChain {
  readonly chainId: string;
  at(height: bigint): ExtendedHeader;
}

/**
 * @param setAt Numbers of the validators at a height, each with the same power.
 * @param startSeconds Time of block 0; blocks are a second apart.
 */
export function testChain(setAt: (height: bigint) => readonly number[], startSeconds = 1_700_000_000n): TestChain {
  const chainId = 'test-chain';
  const signers = new Map<number, Signer>();
  const getSigner = (number: number): Signer => {
    const signer = signers.get(number) ?? createSigner(new Uint8Array(32).fill(number));
    signers.set(number, signer);
    return signer;
  };
  const validatorsAt = (height: bigint) =>
    sortValidators(setAt(height).map((number) => createValidator(getSigner(number).publicKey, 10n)));
  const made: ExtendedHeader[] = [];
  const make = (height: bigint, last: ExtendedHeader | undefined): ExtendedHeader => {
    const validators = validatorsAt(height);
    const time = { seconds: startSeconds + height, nanos: 0 };
    const header: CometHeader = {
      version: { block: 11n, app: 9n },
      chainId,
      height,
      time,
      lastBlockId: last?.commit.blockId ?? NO_BLOCK,
      lastCommitHash: NOTHING,
      dataHash: dahHash(dah),
      validatorsHash: validatorSetHash(validators),
      nextValidatorsHash: validatorSetHash(validatorsAt(height + 1n)),
      consensusHash: NOTHING,
      appHash: NOTHING,
      lastResultsHash: NOTHING,
      evidenceHash: evidenceHash(),
      proposerAddress: validators[0]?.address ?? NOTHING.subarray(0, 20),
    };
    const blockId = { hash: headerHash(header), parts: { total: 1, hash: NOTHING } };
    const bytes = voteSignBytes(chainId, { height, round: 0, blockId, timestamp: time });
    const keys = new Map(setAt(height).map((number) => [toHex(getSigner(number).publicKey), getSigner(number)]));
    const signatures = validators.map(({ address, publicKey }) => ({
      flag: 'commit' as const,
      validator: address,
      timestamp: time,
      signature: keys.get(toHex(publicKey))?.sign(bytes) ?? NOTHING,
    }));
    return { header, commit: { height, round: 0, blockId, signatures }, validators, dah };
  };
  return {
    chainId,
    at(height) {
      while (BigInt(made.length) < height) made.push(make(BigInt(made.length) + 1n, made.at(-1)));
      const header = made[Number(height) - 1];
      if (header === undefined) throw new RangeError(`no block ${height}`);
      return header;
    },
  };
}
