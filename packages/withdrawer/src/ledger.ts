import { type StoreDamaged, StoreFile } from '@switchyard/storage';
import {
  type Bundle,
  decodeRecord,
  encodeRecord,
  type Found,
  type Paid,
  type Standing,
  type Withdrawal,
} from './withdrawal.ts';

/** Chains and bridge account that a ledger belongs to. Another one needs a ledger of its own. */
export interface Origin {
  readonly sequencerChainId: string;
  readonly rollup: string;
  readonly bridge: string;
}

interface Head extends Origin {
  /** Position from which reading the rollup continues, in the source's own terms. */
  readonly position: bigint;
  /** Withdrawals read so far. */
  readonly count: number;
  /** Sums of all that were read, and of the paid ones. */
  readonly read: bigint;
  readonly paid: bigint;
  readonly paidCount: number;
}

const HEAD = 'head';
const BUNDLE = 'bundle';
/** Numbers of fixed width sort as numbers. */
const digits = (number: number) => String(number).padStart(16, '0');
const openKey = (number: number) => `open/${digits(number)}`;
const standingKey = (number: number) => `standing/${digits(number)}`;
const paidKey = (number: number) => `paid/${digits(number)}`;
const eventKey = (eventId: string) => `event/${eventId}`;

/** All withdrawals: the open ones in memory, everything on disk. Each change is on disk when it resolves. */
export class Ledger {
  readonly #file: StoreFile<string>;
  readonly #open = new Map<number, Withdrawal>();
  readonly #standings = new Map<number, Standing>();
  #head: Head | undefined;
  #bundle: Bundle | undefined;

  /** @param directory An existing one. @throws {StoreDamaged} */
  constructor(directory: string, onDamage?: (error: StoreDamaged) => void) {
    this.#file = new StoreFile<string>(directory, 'withdrawer-ledger', { keys: 'text', onDamage });
    const head = this.#file.main.get(HEAD);
    if (head === undefined) return;
    this.#head = decodeRecord<Head>(head);
    const bundle = this.#file.main.get(BUNDLE);
    if (bundle !== undefined) this.#bundle = decodeRecord<Bundle>(bundle);
    for (const [, bytes] of this.#file.main.entries({ start: 'open/', end: 'open/~' })) {
      const withdrawal = decodeRecord<Withdrawal>(bytes);
      this.#open.set(withdrawal.number, withdrawal);
      const standing = this.#file.main.get(standingKey(withdrawal.number));
      if (standing !== undefined) this.#standings.set(withdrawal.number, decodeRecord<Standing>(standing));
    }
  }

  /** Undefined before `begin`. */
  get origin(): Origin | undefined {
    return this.#head;
  }

  get position(): bigint {
    return this.#head?.position ?? 0n;
  }

  /** Withdrawals that were read, and their sum. */
  get read(): { readonly count: number; readonly sum: bigint } {
    return { count: this.#head?.count ?? 0, sum: this.#head?.read ?? 0n };
  }

  get paid(): { readonly count: number; readonly sum: bigint } {
    return { count: this.#head?.paidCount ?? 0, sum: this.#head?.paid ?? 0n };
  }

  get bundle(): Bundle | undefined {
    return this.#bundle;
  }

  /** Withdrawals that are not known to be paid, in their order. */
  get open(): ReadonlyMap<number, Withdrawal> {
    return this.#open;
  }

  /** Open withdrawals that were not paid when it was their turn, by their number. */
  get standings(): ReadonlyMap<number, Standing> {
    return this.#standings;
  }

  /** A withdrawal that was read. */
  find(eventId: string): { readonly withdrawal: Withdrawal; readonly paid: Paid | undefined } | undefined {
    const key = this.#file.main.get(eventKey(eventId));
    if (key === undefined) return undefined;
    const number = Number(new TextDecoder().decode(key));
    const open = this.#open.get(number);
    if (open !== undefined) return { withdrawal: open, paid: undefined };
    const bytes = this.#file.main.get(paidKey(number));
    if (bytes === undefined) return undefined;
    const paid = decodeRecord<Paid>(bytes);
    return { withdrawal: paid, paid };
  }

  /** The newest paid ones, newest first. */
  newestPaid(limit: number): readonly Paid[] {
    const range = { start: 'paid/~', end: 'paid/', reverse: true, limit };
    return Array.from(this.#file.main.entries(range), ([, bytes]) => decodeRecord<Paid>(bytes));
  }

  async begin(origin: Origin): Promise<void> {
    const head = { ...origin, position: 0n, count: 0, read: 0n, paid: 0n, paidCount: 0 };
    await this.#file.batch(() => void this.#file.main.put(HEAD, encodeRecord(head)));
    this.#head = head;
  }

  /** Adds withdrawals read up to a position. An event id that is known already is not added again. */
  async add(found: readonly Found[], position: bigint): Promise<void> {
    const before = this.#started();
    const fresh = new Map<string, Withdrawal>();
    for (const each of found) {
      if (fresh.has(each.eventId) || this.#file.main.get(eventKey(each.eventId)) !== undefined) continue;
      fresh.set(each.eventId, { ...each, number: before.count + fresh.size });
    }
    const withdrawals = [...fresh.values()];
    const read = withdrawals.reduce((sum, { amount }) => sum + amount, before.read);
    const head = { ...before, position, count: before.count + withdrawals.length, read };
    await this.#file.batch(() => {
      void this.#file.main.put(HEAD, encodeRecord(head));
      for (const each of withdrawals) {
        void this.#file.main.put(openKey(each.number), encodeRecord(each));
        void this.#file.main.put(eventKey(each.eventId), new TextEncoder().encode(String(each.number)));
      }
    });
    this.#head = head;
    for (const each of withdrawals) this.#open.set(each.number, each);
  }

  /** Puts a signed transaction under way, before it is sent. */
  async sign(bundle: Bundle): Promise<void> {
    await this.#file.batch(() => void this.#file.main.put(BUNDLE, encodeRecord(bundle)));
    this.#bundle = bundle;
  }

  /** Gives up the transaction under way: the sequencer refused it, or another one has spent its nonce. */
  async drop(): Promise<void> {
    await this.#file.batch(() => void this.#file.main.remove(BUNDLE));
    this.#bundle = undefined;
  }

  async stand(standings: ReadonlyMap<number, Standing>): Promise<void> {
    if (standings.size === 0) return;
    await this.#file.batch(() => {
      for (const [number, each] of standings) void this.#file.main.put(standingKey(number), encodeRecord(each));
    });
    for (const [number, each] of standings) this.#standings.set(number, each);
  }

  /** Records withdrawals as paid, and ends the transaction under way if it paid them. */
  async settle(
    numbers: readonly number[],
    by?: Pick<Paid, 'fee'> & { readonly transaction: string; readonly height: bigint },
  ): Promise<void> {
    const before = this.#started();
    const settled = numbers.flatMap((number) => this.#open.get(number) ?? []);
    const paid = settled.reduce((sum, { amount }) => sum + amount, before.paid);
    const paidCount = before.paidCount + settled.length;
    const head = { ...before, paid, paidCount };
    await this.#file.batch(() => {
      void this.#file.main.put(HEAD, encodeRecord(head));
      for (const each of settled) {
        void this.#file.main.remove(openKey(each.number));
        void this.#file.main.remove(standingKey(each.number));
        void this.#file.main.put(paidKey(each.number), encodeRecord({ ...each, ...by }));
      }
      if (by !== undefined) void this.#file.main.remove(BUNDLE);
    });
    this.#head = head;
    for (const { number } of settled) {
      this.#open.delete(number);
      this.#standings.delete(number);
    }
    if (by !== undefined) this.#bundle = undefined;
  }

  #started(): Head {
    if (this.#head === undefined) throw new Error('the ledger has not begun');
    return this.#head;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
