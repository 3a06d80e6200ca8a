import { randomUUID } from 'node:crypto';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  type BlockMetadata,
  baseInputDigest,
  type CommitLevel,
  type CommitmentState,
  equalBytes,
  type FirmMeaning,
  findFirmMeaning,
  nextInputDigest,
  type Session,
} from '@switchyard/protocol';
import {
  type Caller,
  type Clock,
  IN_PROCESS,
  type Logger,
  type RepeatedLines,
  repeatedWarnings,
  silentLogger,
  systemClock,
} from '@switchyard/service';
import {
  BlockFailed,
  type BlockInput,
  type BlockQuery,
  type ExecutedBatch,
  type ExecutionState,
  type Executor,
  ExecutorAway,
} from './executor.ts';
import { checkExecution, checkFirm, checkLevel, checkUpdate } from './session-rules.ts';
import { SEAT_IDLE_MS, type SeatDecision, SessionSeat } from './session-seat.ts';

export interface HostDeps {
  readonly log?: Logger;
  readonly clock?: Clock;
  /** Must not be guessable: its holder drives the rollup. */
  readonly newSessionId?: () => string;
}

/** A block, and the digest of its inputs and those of all blocks below it. */
export interface NumberedDigest {
  readonly number: bigint;
  readonly hash: string;
  readonly digest: Uint8Array;
}

/** The session rules of the Execution API over any `Executor`, with its calls in single file. */
export class ExecutionHost {
  readonly #executor: Executor;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #newSessionId: () => string;
  readonly #seat = new SessionSeat();
  /** Conductors that try again without end. */
  readonly #occupations: RepeatedLines;
  readonly #intrusions: RepeatedLines;
  /** Commit level of the open session. */
  #level: CommitLevel | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #trouble: string | undefined;

  constructor(
    executor: Executor,
    { log = silentLogger, clock = systemClock, newSessionId = randomUUID }: HostDeps = {},
  ) {
    this.#executor = executor;
    this.#log = log;
    this.#clock = clock;
    const second = 'second conductor refused; stop one of them';
    this.#occupations = repeatedWarnings(log, { one: second, several: second });
    this.#intrusions = repeatedWarnings(log, {
      one: 'caller refused: the session belongs to another one',
      several: 'callers refused: the session belongs to another one',
    });
    this.#newSessionId = newSessionId;
  }

  /** Why blocks are not executed; undefined while they are. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /**
   * @param level Commit level of the conductor; undefined if it states none.
   * @throws {ConnectError} `Aborted` while another caller holds the session; conductors ask again. `FailedPrecondition` for
   * a level that does not fit the firm blocks there are.
   */
  createSession(caller: Caller = IN_PROCESS, level?: CommitLevel): Promise<Session> {
    return this.#inTurn(async () => {
      const { parameters, commitments, firmMeaning: kept } = await this.#executor.state();
      const decision = this.#seat.decide(caller, this.#clock.now());
      if (decision.kind === 'refused') throw this.#occupied(caller, decision.idleMs);
      checkLevel(level, kept);
      const firmMeaning = kept ?? (await this.#adopted({ parameters, commitments, firmMeaning: kept }, level));
      this.#level = level;
      const id = this.#newSessionId();
      this.#seat.take(id, caller, this.#clock.now());
      this.#tellOpened(caller, decision, commitments);
      return { id, parameters, commitments, firmMeaning };
    });
  }

  /** A chain of conductors that stated nothing, such as the reference's, takes the statement of the first other one. */
  async #adopted(
    { parameters, commitments }: ExecutionState,
    level: CommitLevel | undefined,
  ): Promise<FirmMeaning | undefined> {
    const firmMeaning = level && findFirmMeaning(level);
    const { soft, firm, lowestCelestiaSearchHeight } = commitments;
    if (firmMeaning === undefined || firm.number < parameters.rollupStartNumber) return undefined;
    await this.#executor.commit({ soft: soft.hash, firm: firm.hash, lowestCelestiaSearchHeight, firmMeaning });
    this.#log.info(
      { firm: firm.number, commitLevel: level, firmMeaning },
      'what made the firm blocks firm was not kept; taken from the conductor',
    );
    return firmMeaning;
  }

  /** Evidence that is kept with a firm block which the open session commits. */
  #meaningOf(rises: boolean): { readonly firmMeaning?: FirmMeaning | undefined } {
    checkFirm(this.#level, rises);
    return rises && this.#level !== undefined ? { firmMeaning: findFirmMeaning(this.#level) } : {};
  }

  #tellOpened(
    { address }: Caller,
    { from }: SeatDecision & { kind: 'granted' },
    { soft, firm }: CommitmentState,
  ): void {
    const fields = { peer: address, soft: soft.number, firm: firm.number };
    this.#log.info(fields, 'execution session opened');
    if (from === 'idle') this.#log.warn(fields, 'session taken over from an idle conductor');
    if (from === 'without credential') {
      this.#log.warn(fields, 'session taken over from a caller without a credential by an authenticated one');
    }
  }

  #occupied({ address }: Caller, idleMs: number): ConnectError {
    this.#occupations.add('session-held', address);
    const wait = Math.max(1, Math.ceil((SEAT_IDLE_MS - idleMs) / 1_000));
    return new ConnectError(
      `another conductor holds the session of this rollup; it is free when that one ends, or ${wait} s after its last call`,
      Code.Aborted,
    );
  }

  async block(query: BlockQuery, caller: Caller = IN_PROCESS): Promise<BlockMetadata> {
    this.#seat.seen(caller, this.#clock.now());
    const block = await this.#executor.block(query);
    if (block === undefined) {
      const which = 'hash' in query ? `hash ${query.hash}` : `number ${query.number}`;
      throw new ConnectError(`no executed block with ${which}`, Code.NotFound);
    }
    return block;
  }

  execute(session: string, parent: string, input: BlockInput, caller: Caller = IN_PROCESS): Promise<BlockMetadata> {
    return this.#inSession(session, caller, async () => {
      const { parameters, commitments } = await this.#executor.state();
      checkExecution({ parameters, soft: commitments.soft }, parent, 1);
      const digest = nextInputDigest(await this.#digestOf(commitments.soft), input);
      const block = await this.#executor.execute(parent, { ...input, digest });
      this.#trouble = undefined;
      return block;
    });
  }

  /** Executes all and moves the soft commitment; the same request again, after a lost answer, is answered again. */
  executeBatch(
    session: string,
    parent: string,
    inputs: readonly BlockInput[],
    options: { readonly firm: boolean },
    caller: Caller = IN_PROCESS,
  ): Promise<ExecutedBatch & { readonly inputDigest?: Uint8Array | undefined }> {
    return this.#inSession(session, caller, async () => {
      const { parameters, commitments } = await this.#executor.state();
      if (inputs.length === 0) return { blocks: [], commitments };
      const earlier = await this.#answeredEarlier(parent, inputs, commitments);
      if (earlier !== undefined) {
        const inputDigest = await this.#executor.inputDigest(commitments.soft.number);
        return { blocks: earlier, commitments, inputDigest };
      }
      checkExecution({ parameters, soft: commitments.soft }, parent, inputs.length);
      const digested = withDigests(await this.#digestOf(commitments.soft), inputs);
      const firmly = { ...options, ...this.#meaningOf(options.firm) };
      const executed = await this.#executor.executeBatch(parent, digested, firmly);
      this.#trouble = undefined;
      return { ...executed, inputDigest: await this.#executor.inputDigest(executed.commitments.soft.number) };
    });
  }

  /** Input digests of the blocks of a range; blocks without one are left out. */
  async inputDigests(from: bigint, to: bigint, caller: Caller = IN_PROCESS): Promise<readonly NumberedDigest[]> {
    this.#seat.seen(caller, this.#clock.now());
    const { soft } = (await this.#executor.state()).commitments;
    const digests: NumberedDigest[] = [];
    for (let number = from; number <= to && number <= soft.number; number += 1n) {
      const digest = await this.#executor.inputDigest(number);
      const block = digest && (await this.#executor.block({ number }));
      if (digest !== undefined && block !== undefined) digests.push({ number, hash: block.hash, digest });
    }
    return digests;
  }

  /** The chain of digests begins on a block that has none. */
  async #digestOf({ number, hash }: Pick<BlockMetadata, 'number' | 'hash'>): Promise<Uint8Array> {
    return (await this.#executor.inputDigest(number)) ?? baseInputDigest(hash);
  }

  update(session: string, requested: CommitmentState, caller: Caller = IN_PROCESS): Promise<CommitmentState> {
    return this.#inSession(session, caller, async () => {
      const { parameters, commitments: current } = await this.#executor.state();
      const [knownSoft, knownFirm] = await Promise.all([
        this.#executor.block({ hash: requested.soft.hash }),
        this.#executor.block({ hash: requested.firm.hash }),
      ]);
      checkUpdate({ parameters, current, requested, knownSoft, knownFirm });
      return this.#executor.commit({
        soft: requested.soft.hash,
        firm: requested.firm.hash,
        lowestCelestiaSearchHeight: requested.lowestCelestiaSearchHeight,
        ...this.#meaningOf(requested.firm.number > current.firm.number),
      });
    });
  }

  /** The blocks of a batch that ends at the soft block and was executed on `parent` from these sequencer blocks. */
  async #answeredEarlier(
    parent: string,
    inputs: readonly BlockInput[],
    { soft }: CommitmentState,
  ): Promise<BlockMetadata[] | undefined> {
    const first = soft.number - BigInt(inputs.length) + 1n;
    if (parent === soft.hash || first < 1n) return undefined;
    const blocks: BlockMetadata[] = [];
    for (const [index, input] of inputs.entries()) {
      const block = await this.#executor.block({ number: first + BigInt(index) });
      const previous = blocks.at(-1)?.hash ?? parent;
      if (block?.parentHash !== previous || block.sequencerBlockHash !== input.sequencerBlockHash) return undefined;
      blocks.push(block);
    }
    const kept = await this.#executor.inputDigest(soft.number);
    const given = withDigests(await this.#digestOf({ number: first - 1n, hash: parent }), inputs).at(-1)?.digest;
    // Here the same sequencer block has other entries: its content was forged.
    if (kept !== undefined && given !== undefined && !equalBytes(kept, given)) return undefined;
    return blocks;
  }

  #inSession<T>(session: string, caller: Caller, work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const use = this.#seat.use(session, caller, this.#clock.now());
      if (use === 'of another caller') {
        this.#intrusions.add('foreign-session', caller.address);
      }
      if (use !== 'allowed') {
        const which = use === 'unknown session' ? 'is not, or no longer, the open one' : 'belongs to another caller';
        throw new ConnectError(`the session ${which}; create a new one`, Code.PermissionDenied);
      }
      this.#seat.began();
      try {
        return await work();
      } finally {
        this.#seat.ended(this.#clock.now());
      }
    });
  }

  /** A retried call may arrive while its first try still runs. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work).catch((error: unknown) => {
      // Conductors take this status as "again".
      if (error instanceof ExecutorAway) throw new ConnectError(error.message, Code.Unavailable);
      if (!(error instanceof BlockFailed)) throw error;
      this.#trouble = `${error.message}; it is tried again with the next session`;
      this.#log.error({ err: error }, 'block cannot be executed');
      throw new ConnectError(error.message, Code.Internal);
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

function withDigests(base: Uint8Array, inputs: readonly BlockInput[]): readonly BlockInput[] {
  let digest = base;
  return inputs.map((input) => {
    digest = nextInputDigest(digest, input);
    return { ...input, digest };
  });
}
