/** CometBFT's light client: which headers follow from a trusted one, without the headers in between. */

import { equalBytes, toHex } from '../accounts/ids.ts';
import { verify } from '../accounts/keys.ts';
import { compareTimestamps, type Timestamp } from '../bytes/timestamp.ts';
import { Rejected } from '../errors.ts';
import { voteSignBytes } from './commit.ts';
import { headerHash, validatorSetHash } from './hashes.ts';
import type { CometHeader, Commit, SignedHeader, Validator } from './types.ts';

/** A header with the sets whose hashes stand in it. */
export interface LightBlock extends SignedHeader {
  readonly validators: readonly Validator[];
  readonly nextValidators: readonly Validator[];
}

export interface TrustedHeader {
  readonly header: CometHeader;
  /** Must hash to `header.nextValidatorsHash`, which is not checked again. */
  readonly nextValidators: readonly Validator[];
}

export interface LightClientOptions {
  /** Part of the power of a trusted set that has to have signed a header which does not follow at once. */
  readonly trustLevel: { readonly numerator: bigint; readonly denominator: bigint };
  /** Nanoseconds for which a header is trusted: less than misbehaving validators can be held to account. */
  readonly trustingPeriod: bigint;
  /** Nanoseconds by which clocks may differ. */
  readonly clockDrift: bigint;
  /** Encodings of CometBFT 0.38, unless the chain is of another time. */
  readonly encodings?: LightClientEncodings;
}

/** Encodings for hashes and signatures. The rules are older than these, and have outlived others. */
export interface LightClientEncodings {
  headerHash(header: CometHeader): Uint8Array;
  validatorSetHash(validators: readonly Validator[]): Uint8Array;
  voteSignBytes(chainId: string, commit: Commit, index: number): Uint8Array;
}

const CURRENT: LightClientEncodings = { headerHash, validatorSetHash, voteSignBytes };

/** `not-enough-trust`: sound in itself, and too far away: one in between is needed. */
export type LightVerdict =
  | { readonly kind: 'success' }
  | { readonly kind: 'not-enough-trust' }
  | { readonly kind: 'invalid'; readonly problem: string };

const TWO_THIRDS = { numerator: 2n, denominator: 3n };

/**
 * Whether `block` follows from trusted facts, by the rules of the light client's specification. The set that comes after
 * it is checked if it is there; only the step after this one needs it.
 */
export function verifyLightBlock(
  block: Omit<LightBlock, 'nextValidators'> & Partial<Pick<LightBlock, 'nextValidators'>>,
  trusted: TrustedHeader,
  options: LightClientOptions,
  now: Timestamp,
): LightVerdict {
  const problem =
    soundness(block, options.encodings ?? CURRENT) ??
    succession(block.header, trusted.header) ??
    timeliness(block, trusted, options, now);
  if (problem !== undefined) return { kind: 'invalid', problem };
  const tally = createTally(block, options.encodings ?? CURRENT);
  try {
    const adjacent = block.header.height === trusted.header.height + 1n;
    if (!adjacent && !tally(trusted.nextValidators, options.trustLevel)) return { kind: 'not-enough-trust' };
    return tally(block.validators, TWO_THIRDS) ? { kind: 'success' } : invalid('too little power signed');
  } catch (error) {
    if (error instanceof Rejected) return invalid(error.message);
    throw error;
  }
}

/**
 * Goes from trusted facts to `target`, over as few headers as it takes. Yields the height of each block that it needs
 * and is to be given it; returns the verified blocks, in order, the target last.
 *
 * @throws {Rejected} naming the invalid part.
 */
export function bisect(
  start: TrustedHeader,
  target: bigint,
  options: LightClientOptions,
  now: Timestamp,
): Generator<bigint, readonly LightBlock[], LightBlock> {
  return bisectBy<TrustedHeader, LightBlock>(start, target, (block, trusted) =>
    verifyLightBlock(block, trusted, options, now),
  );
}

/** Bisects like {@link bisect}, for blocks that another rule verifies. */
export function* bisectBy<Trusted extends Pick<SignedHeader, 'header'>, Block extends Trusted>(
  start: Trusted,
  target: bigint,
  verify: (block: Block, trusted: Trusted) => LightVerdict,
): Generator<bigint, readonly Block[], Block> {
  const verified: Block[] = [];
  const tooFar: Block[] = [];
  let trusted = start;
  let block = yield* fetched<Block>(target);
  for (;;) {
    const verdict = verify(block, trusted);
    const { height } = block.header;
    if (verdict.kind === 'invalid') throw new Rejected('malformed', { block: height, problem: verdict.problem });
    if (verdict.kind === 'not-enough-trust') {
      tooFar.push(block);
      // Never the height of either: the direct successor needs no trust but the announced set.
      block = yield* fetched<Block>((trusted.header.height + height) / 2n);
      continue;
    }
    verified.push(block);
    trusted = block;
    const next = tooFar.pop();
    if (next === undefined) return verified;
    block = next;
  }
}

function* fetched<Block extends Pick<SignedHeader, 'header'>>(height: bigint): Generator<bigint, Block, Block> {
  const block = yield height;
  const got = block.header.height;
  if (got === height) return block;
  throw new Rejected('malformed', { block: height, problem: 'a block of another height was given', got });
}

/** Checks the claims of the block itself. */
function soundness(
  { header, commit, validators, nextValidators }: Parameters<typeof verifyLightBlock>[0],
  { headerHash, validatorSetHash }: LightClientEncodings,
): string | undefined {
  if (commit.height !== header.height) return 'commit of another height';
  if (!equalBytes(headerHash(header), commit.blockId.hash)) return 'commit of another header';
  if (!equalBytes(validatorSetHash(validators), header.validatorsHash)) return 'header of another validator set';
  if (nextValidators !== undefined && !equalBytes(validatorSetHash(nextValidators), header.nextValidatorsHash)) {
    return 'header of another next set';
  }
  if (commit.signatures.length !== validators.length) return 'wrong number of votes';
  const members = new Set(validators.map(({ address }) => toHex(address)));
  const stranger = commit.signatures.find((vote) => vote.flag !== 'absent' && !members.has(toHex(vote.validator)));
  return stranger === undefined ? undefined : 'vote from outside the set';
}

function succession(header: CometHeader, trusted: CometHeader): string | undefined {
  if (header.chainId !== trusted.chainId) return 'header of another chain';
  if (header.height <= trusted.height) return 'not above the trusted height';
  if (compareTimestamps(header.time, trusted.time) <= 0) return 'not after the trusted time';
  const isNext = header.height === trusted.height + 1n;
  return isNext && !equalBytes(header.validatorsHash, trusted.nextValidatorsHash)
    ? 'its validators differ from the announced ones'
    : undefined;
}

function timeliness(
  { header }: Pick<SignedHeader, 'header'>,
  trusted: TrustedHeader,
  { trustingPeriod, clockDrift }: LightClientOptions,
  now: Timestamp,
): string | undefined {
  if (toNanos(trusted.header.time) + trustingPeriod <= toNanos(now)) return 'the trusted header is too old';
  return toNanos(header.time) >= toNanos(now) + clockDrift ? 'header from the future' : undefined;
}

/** Adds up the power behind a header, and checks each signature that counts, once. Throws `Rejected` for a bad one. */
function createTally({ header, commit }: SignedHeader, { voteSignBytes }: LightClientEncodings) {
  const votes = new Map<string, number>();
  for (const [index, vote] of commit.signatures.entries()) {
    if (vote.flag !== 'commit') continue;
    const address = toHex(vote.validator);
    if (votes.has(address)) return () => reject('two votes of a validator', address);
    votes.set(address, index);
  }
  const good = new Set<string>();
  return (set: readonly Validator[], { numerator, denominator }: LightClientOptions['trustLevel']): boolean => {
    const seen = new Set<string>();
    let total = 0n;
    let signed = 0n;
    for (const { publicKey, power, address: bytes } of set) {
      const address = toHex(bytes);
      if (seen.has(address)) reject('validator twice in the set', address);
      seen.add(address);
      total += power;
      const index = votes.get(address);
      const vote = index === undefined ? undefined : commit.signatures[index];
      if (index === undefined || vote === undefined || vote.flag !== 'commit') continue;
      if (!good.has(address) && !verify(vote.signature, voteSignBytes(header.chainId, commit, index), publicKey)) {
        reject('bad signature', address);
      }
      good.add(address);
      signed += power;
    }
    return signed * denominator > total * numerator;
  };
}

function reject(problem: string, validator: string): never {
  throw new Rejected('malformed', { problem, validator });
}

function invalid(problem: string): LightVerdict {
  return { kind: 'invalid', problem };
}

function toNanos({ seconds, nanos }: Timestamp): bigint {
  return seconds * 1_000_000_000n + BigInt(nanos);
}
