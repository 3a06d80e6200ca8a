import { randomUUID } from 'node:crypto';
import { Code, ConnectError } from '@connectrpc/connect';
import type { BlockMetadata, CommitmentState, Session } from '@switchyard/protocol';
import { type Clock, type Logger, silentLogger, sleep, systemClock } from '@switchyard/service';
import { type BlockInput, type BlockQuery, type ExecutedBatch, type Executor, ExecutorAway } from './executor.ts';
import { SessionChurn } from './session-churn.ts';
import { checkExecution, checkUpdate } from './session-rules.ts';

export interface HostDeps {
  readonly log?: Logger;
  readonly clock?: Clock;
  /** Must not be guessable: whoever knows it drives the rollup. */
  readonly newSessionId?: () => string;
}

/** The session rules of the Execution API over any `Executor`, with its calls in single file. */
export class ExecutionHost {
  readonly #executor: Executor;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #newSessionId: () => string;
  readonly #churn = new SessionChurn();
  #session: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    executor: Executor,
    { log = silentLogger, clock = systemClock, newSessionId = randomUUID }: HostDeps = {},
  ) {
    this.#executor = executor;
    this.#log = log;
    this.#clock = clock;
    this.#newSessionId = newSessionId;
  }

  async createSession(): Promise<Session> {
    const { pauseMs, alarm } = this.#churn.created(this.#clock.now());
    if (alarm)
      this.#log.error('execution sessions replace one another: do two conductors drive this rollup? stop one of them');
    if (pauseMs > 0) await sleep(pauseMs, undefined, this.#clock);
    return this.#inTurn(async () => {
      const { parameters, commitments } = await this.#executor.state();
      const id = this.#newSessionId();
      this.#session = id;
      this.#log.info({ soft: commitments.soft.number, firm: commitments.firm.number }, 'execution session opened');
      return { id, parameters, commitments };
    });
  }

  async block(query: BlockQuery): Promise<BlockMetadata> {
    const block = await this.#executor.block(query);
    if (block === undefined) {
      const which = 'hash' in query ? `hash ${query.hash}` : `number ${query.number}`;
      throw new ConnectError(`no executed block with ${which}`, Code.NotFound);
    }
    return block;
  }

  execute(session: string, parent: string, input: BlockInput): Promise<BlockMetadata> {
    return this.#inSession(session, async () => {
      const { parameters, commitments } = await this.#executor.state();
      checkExecution({ parameters, soft: commitments.soft }, parent, 1);
      return this.#executor.execute(parent, input);
    });
  }

  /** Executes all and moves the soft commitment; the same request again, after a lost answer, is answered again. */
  executeBatch(
    session: string,
    parent: string,
    inputs: readonly BlockInput[],
    options: { readonly firm: boolean },
  ): Promise<ExecutedBatch> {
    return this.#inSession(session, async () => {
      const { parameters, commitments } = await this.#executor.state();
      if (inputs.length === 0) return { blocks: [], commitments };
      const earlier = await this.#answeredEarlier(parent, inputs, commitments);
      if (earlier !== undefined) return { blocks: earlier, commitments };
      checkExecution({ parameters, soft: commitments.soft }, parent, inputs.length);
      return this.#executor.executeBatch(parent, inputs, options);
    });
  }

  update(session: string, requested: CommitmentState): Promise<CommitmentState> {
    return this.#inSession(session, async () => {
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
    return blocks;
  }

  #inSession<T>(session: string, work: () => Promise<T>): Promise<T> {
    return this.#inTurn(() => {
      if (this.#session === undefined || session !== this.#session) {
        throw new ConnectError(
          'the session is not, or no longer, the open one; create a new one',
          Code.PermissionDenied,
        );
      }
      return work();
    });
  }

  /** A retried call may arrive while its first try still runs. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work).catch((error: unknown) => {
      // Conductors take this status as "again".
      throw error instanceof ExecutorAway ? new ConnectError(error.message, Code.Unavailable) : error;
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
