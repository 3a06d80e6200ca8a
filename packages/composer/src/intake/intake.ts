import { ForeseenError, Rejected, type RollupId, type TxHash } from '@switchyard/protocol';
import type { Backlog, Chunk } from '../queue/backlog.ts';
import {
  type CopyRule,
  getItems,
  indexOfCopy,
  isCopyOfGroup,
  keyedHash,
  toIdentity,
  withoutCopies,
} from '../queue/copies.ts';
import { type Entry, GROUPS, getGroup, type Item, MAX_ENTRIES, type Space } from '../queue/items.ts';
import type { Journal } from '../queue/journal.ts';
import type { Outcomes } from '../queue/outcomes.ts';
import type { SubmissionLog } from '../queue/submission-log.ts';
import type { FeeBudget } from './fee-budget.ts';

export interface IntakeConfig {
  /** Longest data of one submission. */
  readonly maxItemBytes: number;
  /** Why these do not fit into one transaction together; undefined if they do. */
  readonly groupProblem: (entries: readonly Entry[]) => string | undefined;
  /** Items, and bytes of data, that may be accepted and not yet in a block. */
  readonly maxItems: number;
  readonly maxBytes: number;
  /** How long bytes that are in a block are recognised as copies. */
  readonly copiesWindowMs: number;
}

export interface IntakeDeps {
  readonly backlog: Backlog;
  readonly outcomes: Pick<Outcomes, 'sequencedHeight'>;
  readonly journal: Journal;
  readonly recent?: SubmissionLog;
  readonly budget?: FeeBudget | undefined;
  /** Why nothing should be accepted, because it might never be in a block that counts. */
  readonly obstacle?: () => string | undefined;
  /** Called when items wait for a bundle. */
  readonly onWaiting: () => void;
  /** Called when the disk refuses: accepted items are not certain any more, so the process must end. */
  readonly onFailure: (error: unknown) => void;
}

/** Nothing can be promised now. Nothing was taken. */
export class Refusing extends ForeseenError {
  override readonly name = 'Refusing';
}

/** The queue has no room, or the budget no fees. Nothing was taken. */
export class Full extends ForeseenError {
  override readonly name = 'Full';
}

interface Waiting {
  readonly items: readonly Item[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Takes submissions in: it resolves once they are on disk. Everything that arrives while a write is under way goes into the
 * next one, so a thousand small calls do not cost a thousand flushes.
 */
export class Intake {
  readonly #config: IntakeConfig;
  readonly #deps: IntakeDeps;
  /** In order of their items' numbers. */
  #waiting: Waiting[] = [];
  #writing = false;
  #accepted = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(config: IntakeConfig, deps: IntakeDeps) {
    this.#config = config;
    this.#deps = deps;
  }

  get accepted(): number {
    return this.#accepted;
  }

  /** Why the next submission is refused for now; undefined if it is not. */
  get obstacle(): string | undefined {
    const { backlog, budget } = this.#deps;
    const isFull = backlog.count >= this.#config.maxItems || backlog.bytes >= this.#config.maxBytes;
    return isFull ? 'the queue is full' : budget?.refusal;
  }

  /** Why a submission can never be accepted. */
  refusal(data: Uint8Array): string | undefined {
    const { maxItemBytes } = this.#config;
    if (data.length === 0) return 'the data is empty, expected at least 1 byte';
    if (data.length > maxItemBytes) return `the data has ${data.length} bytes, expected at most ${maxItemBytes}`;
    return undefined;
  }

  /**
   * Resolves when all of `data` is on disk.
   *
   * @param copies Rule for data that is here already, or is known to be in a block: it is not taken again. Without one
   * everything is taken.
   * @throws {Rejected} `empty` or `too-large`, for data that `refusal` names. {@link Full}, {@link Refusing} In all cases nothing is taken.
   */
  async accept(rollup: RollupId, data: readonly Uint8Array[], copies?: CopyRule): Promise<void> {
    this.#expectWriting();
    for (const bytes of data) {
      const problem = this.refusal(bytes);
      if (problem !== undefined) throw new Rejected(bytes.length === 0 ? 'empty' : 'too-large', { problem });
    }
    const all = getItems(rollup, data, copies?.key);
    const items = copies === undefined ? all : withoutCopies(all, copies, this.#copiesDeps);
    // Known items may still be on their way to the disk.
    if (items.length === 0 && !all.some((item) => this.#isArriving(item.rollup, toIdentity(item)))) return;
    await this.#store(items);
  }

  /**
   * Resolves with the id of the group when all of its entries are on disk.
   *
   * @param copies Like that of `accept`, for the same entries in the same order.
   * @throws {Rejected} `empty`, `too-large` or `duplicate`, which names the entry. {@link Full}, {@link Refusing} In all cases nothing is taken.
   */
  async acceptGroup(entries: readonly Entry[], copies?: CopyRule): Promise<TxHash> {
    this.#expectWriting();
    this.#expectGroup(entries);
    const group = getGroup(entries, (hash) => keyedHash(hash, copies?.key));
    const id = toIdentity(group);
    const isKnown = copies !== undefined && isCopyOfGroup(group, copies, this.#copiesDeps);
    const copied = isKnown || copies === undefined ? -1 : indexOfCopy(group, copies, this.#copiesDeps);
    if (copied >= 0) {
      const problem = `entry ${copied + 1} of ${entries.length} was submitted already: it is paid for once`;
      throw new Rejected('duplicate', { problem });
    }
    if (!isKnown || this.#isArriving(GROUPS, id)) await this.#store(isKnown ? [] : group.items);
    return id;
  }

  #expectWriting(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    const obstacle = this.#deps.obstacle?.();
    if (obstacle !== undefined) throw new Refusing(obstacle);
  }

  /** @throws {Rejected} for bytes that can never be accepted. */
  #expectGroup(entries: readonly Entry[]): void {
    if (entries.length === 0)
      throw new Rejected('empty', { problem: 'the bundle has no entries, expected at least 1' });
    const most = Math.min(MAX_ENTRIES, this.#config.maxItems);
    if (entries.length > most) {
      throw new Rejected('too-large', {
        problem: `the bundle has ${entries.length} entries, expected at most ${most}`,
      });
    }
    for (const [index, { data }] of entries.entries()) {
      const problem = this.refusal(data);
      if (problem === undefined) continue;
      const reason = data.length === 0 ? 'empty' : 'too-large';
      throw new Rejected(reason, { problem: `entry ${index + 1} of ${entries.length}: ${problem}` });
    }
    const problem = this.#config.groupProblem(entries);
    if (problem !== undefined) throw new Rejected('too-large', { problem });
  }

  get #copiesDeps() {
    const { backlog, outcomes } = this.#deps;
    return { backlog, outcomes, windowMs: this.#config.copiesWindowMs };
  }

  #store(items: readonly Item[]): Promise<void> {
    this.#expectRoomFor(items);
    this.#deps.backlog.arrive(items);
    return new Promise<void>((resolve, reject) => {
      this.#waiting.push({ items, resolve, reject });
      if (!this.#writing) void this.#write();
    });
  }

  #isArriving(space: Space, identity: TxHash): boolean {
    const { backlog } = this.#deps;
    const number = backlog.find(space, identity);
    return number !== undefined && !backlog.isOnDisk(number);
  }

  #expectRoomFor(items: readonly Item[]): void {
    const { backlog } = this.#deps;
    const { maxItems, maxBytes } = this.#config;
    const bytes = items.reduce((sum, { data }) => sum + data.length, 0);
    if (backlog.count + items.length > maxItems) {
      throw new Full(`the queue holds ${backlog.count} of ${maxItems} submissions; try again later`);
    }
    if (backlog.bytes + bytes > maxBytes) {
      throw new Full(`the queue holds ${backlog.bytes} of ${maxBytes} bytes; try again later`);
    }
    const refusal = this.#deps.budget?.take(items);
    if (refusal !== undefined) throw new Full(refusal);
  }

  async #write(): Promise<void> {
    const { backlog, journal, onFailure } = this.#deps;
    this.#writing = true;
    // Items that arrive in the same turn join the first write.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      const items = group.flatMap((each) => each.items);
      const chunk = { first: backlog.next - items.length, items };
      try {
        if (items.length > 0) {
          const written = journal.accept(chunk);
          this.#wait(chunk);
          await written;
          backlog.written(chunk);
        }
      } catch (error) {
        // The state on disk is unknown: nothing is accepted until the next start.
        this.#failure = { error };
        for (const { reject } of [...group, ...this.#waiting]) reject(error);
        onFailure(error);
        return;
      }
      this.#accepted += items.length;
      for (const { resolve } of group) resolve();
    }
    this.#writing = false;
  }

  /** A bundle need not wait for its items to be on disk: it is written after them, mostly with the same flush, and then sent. */
  #wait(chunk: Chunk): void {
    const { backlog, recent, onWaiting } = this.#deps;
    backlog.keep(chunk);
    recent?.queued(chunk);
    onWaiting();
  }
}
