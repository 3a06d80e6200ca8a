/**
 * Headers of Celestia, which are CometBFT's with the validators that signed and the roots of the square.
 *
 * The start of trust is configuration: one height and the hash of its header. From there a header follows either at once,
 * which takes the announced set, or from afar, which takes a part of the power of the set that signed the trusted one.
 * An extended header carries that set, so celestia-node uses it too, instead of the set after it.
 *
 * @see celestia-node v0.31, header/header.go, `Validate` and `Verify`
 */

import { equalBytes, toHex } from '../accounts/ids.ts';
import type { Timestamp } from '../bytes/timestamp.ts';
import { verifyCommit } from '../comet/commit.ts';
import { bisectBy, type LightClientOptions, type LightVerdict, verifyLightBlock } from '../comet/light-client.ts';
import type { SignedHeader, Validator } from '../comet/types.ts';
import { Rejected } from '../errors.ts';
import { type DataAvailabilityHeader, verifyDah } from './dah.ts';

export interface ExtendedHeader extends SignedHeader {
  /** Validators whose hash stands in this header, in their order. */
  readonly validators: readonly Validator[];
  readonly dah: DataAvailabilityHeader;
}

/** The header with which trust begins. */
export interface TrustRoot {
  readonly chainId: string;
  readonly height: bigint;
  /** 32 bytes: the hash of the header. */
  readonly hash: Uint8Array;
}

/**
 * Checks that the parts of a header belong together: the roots to its data hash, the set to its validators, and the commit,
 * by more than two thirds of the power of that set, to the header. That the set can be trusted is not shown.
 *
 * @throws {Rejected} `bad-signature` for a signature, `malformed` for everything else.
 */
export function verifyExtendedHeader(chainId: string, header: ExtendedHeader): void {
  verifyDah(header.dah, header.header.dataHash);
  verifyCommit(chainId, header.validators, header);
}

/** Verifies like {@link verifyExtendedHeader}, and that it is the header with which trust begins. */
export function verifyTrustRoot({ chainId, height, hash }: TrustRoot, header: ExtendedHeader): void {
  const got = header.commit.blockId.hash;
  if (header.header.height !== height || !equalBytes(got, hash)) {
    throw new Rejected('malformed', {
      problem: 'not the trusted header',
      height,
      expected: toHex(hash),
      got: toHex(got),
    });
  }
  verifyExtendedHeader(chainId, header);
}

/**
 * Whether a header follows from a trusted one, signatures and roots included; nothing of it has to be checked before.
 * `not-enough-trust`: one in between is needed, see {@link bisectHeaders}.
 *
 * @param trusted Verified before, by this or {@link verifyTrustRoot}: its set and its hash are not checked again.
 */
export function verifyFollowing(
  header: ExtendedHeader,
  trusted: ExtendedHeader,
  options: LightClientOptions,
  now: Timestamp,
): LightVerdict {
  const { header: last, commit, validators } = trusted;
  const adjacent = header.header.height === last.height + 1n;
  if (adjacent && !equalBytes(header.header.lastBlockId.hash, commit.blockId.hash)) {
    return { kind: 'invalid', problem: 'another header before it' };
  }
  try {
    verifyDah(header.dah, header.header.dataHash);
  } catch (error) {
    if (error instanceof Rejected) return { kind: 'invalid', problem: error.message };
    throw error;
  }
  return verifyLightBlock(
    { header: header.header, commit: header.commit, validators: header.validators },
    { header: last, nextValidators: validators },
    options,
    now,
  );
}

/**
 * Goes from a trusted header to the one at `target`, over as few as it takes. Yields the height of each that it needs and is
 * to be given it; returns the verified headers, in order, the target last.
 *
 * @throws {Rejected} `malformed` naming the invalid part.
 */
export function bisectHeaders(
  start: ExtendedHeader,
  target: bigint,
  options: LightClientOptions,
  now: Timestamp,
): Generator<bigint, readonly ExtendedHeader[], ExtendedHeader> {
  return bisectBy<ExtendedHeader, ExtendedHeader>(start, target, (header, trusted) =>
    verifyFollowing(header, trusted, options, now),
  );
}
