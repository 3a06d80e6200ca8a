/** One asynchronous write. */
export interface Write {
  readonly table: string;
  readonly key: string;
  /** Undefined: the record is removed. */
  readonly value: Uint8Array | undefined;
}

/** How a disk takes its time. */
export interface DiskTime {
  nextTurn(then: () => void): void;
  /** A flush of all writes. */
  flush(then: () => void): void;
}

/** The store that is written to. */
export interface Target {
  /** Makes the writes the current data, which a killed process leaves behind. @throws {Error} of the system. */
  commit(writes: readonly Write[]): void;
  /** Makes the current data survive a loss of power. Undefined: a commit does without. */
  readonly flush: (() => void) | undefined;
}

interface Group {
  readonly writes: Write[];
  readonly done: Promise<boolean>;
  readonly resolve: (done: boolean) => void;
  readonly reject: (reason: unknown) => void;
  isCommitted: boolean;
}

/** Asynchronous writes in the order of the calls. All that are made before a commit begins share it. */
export class WriteQueue {
  readonly #target: Target;
  readonly #time: DiskTime;
  #waiting: Group | undefined;
  #underWay: Group | undefined;

  constructor(target: Target, time: DiskTime) {
    this.#target = target;
    this.#time = time;
  }

  /** @returns when the next commit is done, which is of all writes so far. */
  add(...writes: readonly Write[]): Promise<boolean> {
    if (this.#waiting === undefined) {
      this.#waiting = newGroup();
      this.#time.nextTurn(() => this.#begin());
    }
    this.#waiting.writes.push(...writes);
    return this.#waiting.done;
  }

  /** Ends the commit that has begun, without its flushes taking time. */
  finish(): void {
    for (const group = this.#underWay; group !== undefined && group === this.#underWay; ) this.#advance(group);
  }

  /** Resolves when there are no writes left. */
  async drained(): Promise<void> {
    for (;;) {
      const last = this.#waiting ?? this.#underWay;
      if (last === undefined) return;
      await last.done.catch(() => undefined);
    }
  }

  /** Forgets all writes that are not committed. No promise settles. */
  drop(): void {
    this.#waiting = undefined;
    this.#underWay = undefined;
  }

  #begin(): void {
    const group = this.#waiting;
    if (this.#underWay !== undefined || group === undefined) return;
    this.#underWay = group;
    this.#waiting = undefined;
    // The data, which no read finds yet.
    this.#time.flush(() => this.#advance(group));
  }

  #advance(group: Group): void {
    if (group !== this.#underWay) return;
    const { flush } = this.#target;
    try {
      if (!group.isCommitted) this.#target.commit(group.writes);
      else flush?.();
    } catch (error) {
      group.reject(error);
      this.#end();
      return;
    }
    // Its process may have ended right then.
    if (group !== this.#underWay) return;
    if (!group.isCommitted && flush !== undefined) {
      group.isCommitted = true;
      this.#time.flush(() => this.#advance(group));
      return;
    }
    group.resolve(true);
    this.#end();
  }

  #end(): void {
    this.#underWay = undefined;
    if (this.#waiting !== undefined) this.#time.nextTurn(() => this.#begin());
  }
}

function newGroup(): Group {
  let [resolve, reject]: [Group['resolve'], Group['reject']] = [() => undefined, () => undefined];
  const done = new Promise<boolean>((resolved, rejected) => {
    [resolve, reject] = [resolved, rejected];
  });
  return { writes: [], done, resolve, reject, isCommitted: false };
}
