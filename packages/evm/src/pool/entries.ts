import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { PoolTransaction, SignedTransaction } from './deps.ts';

/** State of a transaction of the pool. */
export type Progress =
  /** To be sent when its turn comes. `reason`: why not yet, although no nonce before it is missing. */
  | { readonly kind: 'held'; readonly reason?: string }
  /** It was held when this process started, so the composer may have it, and is queried before it is sent. */
  | { readonly kind: 'restored' }
  /** The composer may have it: its answer was lost. Sent again when its turn comes. */
  | { readonly kind: 'unclear'; readonly since: number; readonly reason: string }
  /** The composer's answer is awaited. `unclearSince`: the answer to an earlier attempt was lost. */
  | { readonly kind: 'forwarding'; readonly unclearSince?: number; readonly requeue: boolean }
  /** The composer has it, or is queried for its outcome in time. */
  | { readonly kind: 'sent' }
  /** It was found, and a block has refused it for now: whether it is held is decided with its account. */
  | { readonly kind: 'undecided' };

/** State in which it counts in the limits and in the pool's answers. */
export const countedAs = ({ kind }: Progress): 'sent' | 'held' =>
  kind === 'sent' || kind === 'forwarding' || kind === 'undecided' ? 'sent' : 'held';

/** Since when the composer may have it or not; undefined if that is known. */
export function unclearSince({ progress }: Entry): number | undefined {
  if (progress.kind === 'unclear') return progress.since;
  return progress.kind === 'forwarding' ? progress.unclearSince : undefined;
}

/** Why a held transaction is not sent. */
export function waitsFor({ progress }: Entry): string | undefined {
  return progress.kind === 'held' || progress.kind === 'unclear' ? progress.reason : undefined;
}

/** A transaction of the pool. An object with a getter of its own takes 945 bytes in place of 154, and there are many thousands of them. */
export class Entry implements PoolTransaction {
  readonly hash: Hash;
  readonly from: Address;
  readonly nonce: bigint;
  readonly raw: Uint8Array;
  readonly tx: SignedTransaction;
  /** Wei that it takes at most: value and gas. */
  readonly cost: bigint;
  readonly receivedAt: number;
  /** When it was received, on the monotonic clock. */
  readonly since: number;
  progress: Progress;
  /** On the monotonic clock: when the composer is queried for its outcome. */
  lookAt: number;
  /** Its acceptance was acknowledged, so it must not vanish without an outcome. */
  isAcknowledged = false;
  /**
   * The composer or the sequencer had it when this process found them. An earlier process may have acknowledged it, or it
   * came another way, so a block that refuses it for now puts it before the rule of admission once more.
   */
  isFound = false;
  /** It has a record on our disk. */
  isKept = false;
  /** How often a block could not take it although a later one can. */
  rejections = 0;
  /** The held one in whose place it comes, if the composer takes it. */
  replaces: Entry | undefined = undefined;

  constructor(
    tx: SignedTransaction,
    raw: Uint8Array,
    progress: Progress,
    { cost, receivedAt, since, lookAt }: Pick<Entry, 'cost' | 'receivedAt' | 'since' | 'lookAt'>,
  ) {
    this.hash = tx.hash;
    this.from = tx.from;
    this.nonce = tx.nonce;
    this.raw = raw;
    this.tx = tx;
    this.cost = cost;
    this.receivedAt = receivedAt;
    this.since = since;
    this.progress = progress;
    this.lookAt = lookAt;
  }

  get state(): 'sent' | 'held' {
    return countedAs(this.progress);
  }
}

interface Sender {
  readonly byNonce: Map<bigint, Entry>;
  sentCost: bigint;
  held: number;
  /** All nonces from the committed one up to, but without, this one were sent. */
  next: bigint;
}

/** The transactions of the pool: by hash, by sender and nonce, and in the order in which they were sent. One nonce of a sender has one transaction. */
export class Entries {
  readonly #sent = new Map<Hash, Entry>();
  readonly #held = new Map<Hash, Entry>();
  readonly #senders = new Map<Address, Sender>();
  /** How many transactions may change the code of an account. */
  readonly #authorities = new Map<Address, number>();
  #sentBytes = 0;
  #heldBytes = 0;

  get sentCount(): number {
    return this.#sent.size;
  }

  get sentBytes(): number {
    return this.#sentBytes;
  }

  get heldCount(): number {
    return this.#held.size;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get(hash: Hash): Entry | undefined {
    return this.#sent.get(hash) ?? this.#held.get(hash);
  }

  at(sender: Address, nonce: bigint): Entry | undefined {
    return this.#senders.get(sender)?.byNonce.get(nonce);
  }

  /** In the order in which they were sent. */
  sent(): Iterable<Entry> {
    return this.#sent.values();
  }

  /** In the order in which they came. */
  held(): Iterable<Entry> {
    return this.#held.values();
  }

  has(sender: Address): boolean {
    return this.#senders.has(sender);
  }

  getHeld(sender: Address): number {
    return this.#senders.get(sender)?.held ?? 0;
  }

  computeCount(sender: Address): number {
    return this.#senders.get(sender)?.byNonce.size ?? 0;
  }

  getSent(sender: Address): number {
    return this.computeCount(sender) - this.getHeld(sender);
  }

  /** Whether a transaction here may change the code of an account (EIP-7702). */
  isAuthority(address: Address): boolean {
    return this.#authorities.has(address);
  }

  /** Wei that all that was sent of a sender takes at most. */
  getSentCost(sender: Address): bigint {
    return this.#senders.get(sender)?.sentCost ?? 0n;
  }

  /** All of a sender, in no order. */
  from(sender: Address): Iterable<Entry> {
    return this.#senders.get(sender)?.byNonce.values() ?? [];
  }

  /** All of a sender, by nonce. */
  ofSender(sender: Address): Entry[] {
    return [...this.from(sender)].sort((a, b) => (a.nonce < b.nonce ? -1 : 1));
  }

  /** The first nonce, from the committed one on, that was not sent. */
  nextNonce(address: Address, committed: bigint): bigint {
    const sender = this.#senders.get(address);
    if (sender === undefined) return committed;
    if (sender.next < committed) sender.next = committed;
    while (sender.byNonce.get(sender.next)?.state === 'sent') sender.next += 1n;
    return sender.next;
  }

  /** Its nonce must be free. */
  add(entry: Entry): void {
    const sender = this.#senderOf(entry.from);
    sender.byNonce.set(entry.nonce, entry);
    this.#countAuthorities(entry, 1);
    this.#count(sender, entry, 1);
  }

  remove(entry: Entry): void {
    const sender = this.#senders.get(entry.from);
    if (sender?.byNonce.get(entry.nonce) !== entry) return;
    sender.byNonce.delete(entry.nonce);
    if (entry.nonce < sender.next) sender.next = entry.nonce;
    this.#countAuthorities(entry, -1);
    this.#count(sender, entry, -1);
    if (sender.byNonce.size === 0) this.#senders.delete(entry.from);
  }

  move(entry: Entry, progress: Progress): void {
    if (countedAs(entry.progress) === countedAs(progress)) {
      entry.progress = progress;
      return;
    }
    const sender = this.#senderOf(entry.from);
    this.#count(sender, entry, -1);
    entry.progress = progress;
    this.#count(sender, entry, 1);
    if (entry.state === 'held' && entry.nonce < sender.next) sender.next = entry.nonce;
  }

  #count(sender: Sender, entry: Entry, by: 1 | -1): void {
    const all = entry.state === 'sent' ? this.#sent : this.#held;
    if (by === 1) all.set(entry.hash, entry);
    else all.delete(entry.hash);
    const bytes = by * entry.raw.length;
    if (entry.state === 'sent') {
      this.#sentBytes += bytes;
      sender.sentCost += BigInt(by) * entry.cost;
    } else {
      this.#heldBytes += bytes;
      sender.held += by;
    }
  }

  #countAuthorities({ tx }: Entry, by: 1 | -1): void {
    for (const address of tx.authorities()) {
      const count = (this.#authorities.get(address) ?? 0) + by;
      if (count > 0) this.#authorities.set(address, count);
      else this.#authorities.delete(address);
    }
  }

  #senderOf(address: Address): Sender {
    const known = this.#senders.get(address);
    if (known !== undefined) return known;
    const made: Sender = { byNonce: new Map(), sentCost: 0n, held: 0, next: 0n };
    this.#senders.set(address, made);
    return made;
  }
}
