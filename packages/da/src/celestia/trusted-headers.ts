/**
 * Which headers of a chain are true, whichever node shows them. Trust begins at a height and hash that a person gave. What
 * comes later follows by signatures, skipping headers if possible; a header before a trusted one follows by hashes, each
 * naming the one before it.
 */
import { equalBytes, headerHash, Rejected, type Timestamp, timestampFromMillis, toHex } from '@switchyard/protocol';
import {
  bisectHeaders,
  type ExtendedHeader,
  type TrustRoot,
  verifyDah,
  verifyTrustRoot,
} from '@switchyard/protocol/celestia';
import type { WallClock } from '@switchyard/service';
import { DaUnavailable } from '../layer.ts';

export interface TrustedHeadersOptions {
  readonly root: TrustRoot;
  /** Less than the time for which validators can be punished for their signatures. */
  readonly trustingPeriodMs: number;
}

/** Storage of the newest one, so that a restart begins there. */
export interface HeaderStore {
  /** Undefined if there is none that can be used. Verified in itself. */
  load(): ExtendedHeader | undefined;
  /** Called with each that is newer than the last. */
  newest(header: ExtendedHeader): void;
}

export interface TrustedHeadersDeps {
  fetch(height: bigint, signal: AbortSignal): Promise<ExtendedHeader>;
  /** None, if absent. */
  readonly store?: HeaderStore | undefined;
  readonly wall: WallClock;
}

const TRUST_LEVEL = { numerator: 1n, denominator: 3n };
const CLOCK_DRIFT = 10_000_000_000n;
/** From which others can follow: the last, and as many as a bisection of a long way leaves, some times over. */
const KEPT_HEADERS = 64;
/** Hashes below a trusted header: about a month of blocks. */
const MAX_WALK = 1_000_000n;

export class TrustedHeaders {
  readonly #options: TrustedHeadersOptions;
  readonly #deps: TrustedHeadersDeps;
  /** In the order in which they were verified. */
  #verified: ExtendedHeader[] = [];
  #newest = 0n;
  /** Hashes by height that a trusted header leads back to. */
  readonly #hashes = new Map<bigint, Uint8Array>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: TrustedHeadersOptions, deps: TrustedHeadersDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /**
   * The header at a height, its roots checked against it.
   *
   * @throws {Rejected} if the node shows another one, or invalid ones on the way.
   * @throws {Error} if nothing that is trusted leads there: settings are to be corrected.
   */
  async at(height: bigint, signal: AbortSignal): Promise<ExtendedHeader> {
    if (height < 1n) throw new RangeError(`no block ${height}`);
    const header = await this.#deps.fetch(height, signal);
    checkHeight(header, height);
    // One after the other, since each may begin at the end of the one before.
    const turn = this.#turn.then(() => this.#hashAt(header, signal));
    this.#turn = turn.catch(() => undefined);
    checkHash(header, await turn);
    verifyDah(header.dah, header.header.dataHash);
    return header;
  }

  /** The hash that the header at that height must have. */
  async #hashAt(header: ExtendedHeader, signal: AbortSignal): Promise<Uint8Array> {
    const { height } = header.header;
    if (this.#verified.length === 0) await this.#begin(signal);
    const known = this.#hashes.get(height) ?? this.#verified.find((each) => each.header.height === height);
    if (known !== undefined) return known instanceof Uint8Array ? known : known.commit.blockId.hash;
    const now = timestampFromMillis(this.#deps.wall.unixMs());
    const above = nearest(this.#verified, (each) => each.header.height - height);
    const below =
      nearest(this.#verified, (each) => height - each.header.height) ?? (await this.#rootBelow(height, above, signal));
    if (below !== undefined && this.#isFresh(below, now)) {
      await this.#follow(below, header, now, signal);
      return header.commit.blockId.hash;
    }
    if (above !== undefined) return this.#walkBack(above, height, signal);
    throw new Error(
      `block ${below?.header.height}, which is trusted, is older than the trusting period, so that ${height} does not follow from it: give the height and hash of a newer one`,
    );
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const stored = this.#deps.store?.load();
    this.#newest = stored?.header.height ?? 0n;
    this.#verified = [stored ?? (await this.#root(signal))];
  }

  async #root(signal: AbortSignal): Promise<ExtendedHeader> {
    const { root } = this.#options;
    const header = await this.#deps.fetch(root.height, signal);
    verifyTrustRoot(root, header);
    return header;
  }

  /** If a stored header is far above, the configured one leads there over fewer. A node may not have it any more. */
  async #rootBelow(height: bigint, above: ExtendedHeader | undefined, signal: AbortSignal) {
    if (above === undefined || this.#options.root.height > height) return undefined;
    try {
      const header = await this.#root(signal);
      this.#keep([header]);
      return header;
    } catch (error) {
      if (error instanceof DaUnavailable) return undefined;
      throw error;
    }
  }

  #isFresh({ header: { time } }: ExtendedHeader, now: Timestamp): boolean {
    return toMillis(time) + this.#options.trustingPeriodMs > toMillis(now);
  }

  async #follow(start: ExtendedHeader, target: ExtendedHeader, now: Timestamp, signal: AbortSignal): Promise<void> {
    const trustingPeriod = BigInt(this.#options.trustingPeriodMs) * 1_000_000n;
    const options = { trustLevel: TRUST_LEVEL, trustingPeriod, clockDrift: CLOCK_DRIFT };
    const { height } = target.header;
    const steps = bisectHeaders(start, height, options, now);
    for (let step = steps.next(); ; ) {
      if (step.done === true) return this.#keep(step.value);
      step = steps.next(step.value === height ? target : await this.#deps.fetch(step.value, signal));
    }
  }

  #keep(headers: readonly ExtendedHeader[]): void {
    this.#verified = [...this.#verified, ...headers].slice(-KEPT_HEADERS);
    const last = headers.at(-1);
    if (last === undefined || last.header.height <= this.#newest) return;
    this.#newest = last.header.height;
    this.#deps.store?.newest(last);
  }

  /** Keeps all hashes on the way, and the findings so far when the node fails in the middle of it. */
  async #walkBack(above: ExtendedHeader, target: bigint, signal: AbortSignal): Promise<Uint8Array> {
    if (above.header.height - target > MAX_WALK) {
      throw new Error(
        `block ${target} is ${above.header.height - target} below the trusted one: give the height and hash of a lower one`,
      );
    }
    if (this.#hashes.size > Number(MAX_WALK)) this.#hashes.clear();
    // From the lowest that an earlier walk has come to.
    let { height } = above.header;
    while (this.#hashes.has(height - 1n)) height -= 1n;
    const known = this.#hashes.get(height);
    let header = known === undefined ? above.header : await this.#headerOf(height, known, signal);
    for (;;) {
      const { hash } = header.lastBlockId;
      height -= 1n;
      this.#hashes.set(height, hash);
      if (height === target) return hash;
      header = await this.#headerOf(height, hash, signal);
    }
  }

  async #headerOf(height: bigint, hash: Uint8Array, signal: AbortSignal) {
    const found = await this.#deps.fetch(height, signal);
    checkHeight(found, height);
    checkHash(found, hash);
    return found.header;
  }
}

/** That with the least positive distance. */
function nearest(headers: readonly ExtendedHeader[], distance: (header: ExtendedHeader) => bigint) {
  let found: ExtendedHeader | undefined;
  for (const header of headers) {
    const at = distance(header);
    if (at > 0n && (found === undefined || at < distance(found))) found = header;
  }
  return found;
}

function checkHeight({ header }: ExtendedHeader, height: bigint): void {
  if (header.height === height) return;
  throw new Rejected('malformed', { problem: 'a header of another height', expected: height, got: header.height });
}

/** Computed, since the hash in its commit is only the node's claim. */
function checkHash({ header }: ExtendedHeader, expected: Uint8Array): void {
  const got = headerHash(header);
  if (equalBytes(got, expected)) return;
  const { height } = header;
  throw new Rejected('malformed', { problem: 'another header', height, expected: toHex(expected), got: toHex(got) });
}

function toMillis({ seconds, nanos }: Timestamp): number {
  return Number(seconds) * 1_000 + nanos / 1_000_000;
}
