/** The anchor of trust in a sequencer: a block that its reader already has, or a block that a person names. */
import {
  bisect,
  equalBytes,
  fromHex,
  headerHash,
  type LightBlock,
  Rejected,
  timestampFromMillis,
  timestampToMillis,
  toHex,
  validatorSetHash,
} from '@switchyard/protocol';
import type { ProofSource } from './proven-heights.ts';

/** A block that a person vouches for. */
export interface Checkpoint {
  readonly height: bigint;
  /** 32 bytes. */
  readonly hash: Uint8Array;
}

export interface TrustOptions {
  readonly chainId: string;
  /** Hash of the block before the first one, in hex, if it is known. It counts more than a checkpoint. */
  readonly lastBlockHash: string | undefined;
  readonly checkpoint?: Checkpoint | undefined;
  /** The settings that it comes from, for messages. */
  readonly checkpointSettings: string;
  /** How old a checkpoint may be from which blocks are skipped. */
  readonly trustingPeriodMs: number;
  readonly now: () => number;
}

/** Facts that the next header must name. */
export interface Trusted {
  readonly hash: Uint8Array;
  readonly nextValidatorsHash: Uint8Array;
}

/** Nothing can be verified with the present settings, regardless of the node. */
export class Unprovable extends Error {
  override readonly name = 'Unprovable';
}

const TRUST_LEVEL = { numerator: 1n, denominator: 3n };
const CLOCK_DRIFT = 10_000_000_000n;

/**
 * Trusted facts about the block before `height`; undefined if there is no trust anchor for it.
 *
 * @throws {Rejected} if the source contradicts the trusted facts.
 * @throws {Unprovable}
 */
export async function trustedBefore(
  height: bigint,
  options: TrustOptions,
  source: ProofSource,
  signal: AbortSignal,
): Promise<Trusted | undefined> {
  const { lastBlockHash, checkpoint } = options;
  const before = height - 1n;
  if (before < 1n) return undefined;
  if (lastBlockHash !== undefined) return getHeader({ height: before, hash: fromHex(lastBlockHash) }, source, signal);
  if (checkpoint === undefined || checkpoint.height > before) return undefined;
  const known = await getHeader(checkpoint, source, signal);
  return checkpoint.height === before ? known : skip(checkpoint, before, options, source, signal);
}

/** A header is known by its hash, and names the validators of the next. */
async function getHeader({ height, hash }: Checkpoint, source: ProofSource, signal: AbortSignal) {
  const { header } = await source.commit(height, signal, hash);
  const got = headerHash(header);
  if (!equalBytes(got, hash)) {
    throw new Rejected('malformed', {
      block: height + 1n,
      problem: 'it does not follow the block before it',
      expected: toHex(hash),
      got: toHex(got),
    });
  }
  return { header, hash, nextValidatorsHash: header.nextValidatorsHash };
}

/** Follows the light client's rules over as few headers as it takes. */
async function skip(
  checkpoint: Checkpoint,
  target: bigint,
  { trustingPeriodMs, now, checkpointSettings }: TrustOptions,
  source: ProofSource,
  signal: AbortSignal,
): Promise<Trusted> {
  const { header } = await getHeader(checkpoint, source, signal);
  const time = now();
  if (timestampToMillis(header.time) + trustingPeriodMs <= time) {
    throw new Unprovable(
      `the trusted block ${checkpoint.height} is older than the trusting period: give a newer ${checkpointSettings}`,
    );
  }
  const nextValidators = await source.validators(checkpoint.height + 1n, signal, header.nextValidatorsHash);
  if (!equalBytes(validatorSetHash(nextValidators), header.nextValidatorsHash)) {
    throw new Rejected('malformed', {
      block: checkpoint.height + 1n,
      problem: 'its validators are not those announced',
    });
  }
  const trustingPeriod = BigInt(trustingPeriodMs) * 1_000_000n;
  const options = { trustLevel: TRUST_LEVEL, trustingPeriod, clockDrift: CLOCK_DRIFT };
  const steps = bisect({ header, nextValidators }, target, options, timestampFromMillis(time));
  for (let step = steps.next(); ; ) {
    if (step.done === true) {
      const last = step.value.at(-1);
      if (last === undefined) throw new Error('a bisection ends with its target');
      return { hash: headerHash(last.header), nextValidatorsHash: last.header.nextValidatorsHash };
    }
    step = steps.next(await lightBlock(step.value, source, signal));
  }
}

async function lightBlock(height: bigint, source: ProofSource, signal: AbortSignal): Promise<LightBlock> {
  const [signed, validators, nextValidators] = await Promise.all([
    source.commit(height, signal),
    source.validators(height, signal),
    source.validators(height + 1n, signal),
  ]);
  return { ...signed, validators, nextValidators };
}
