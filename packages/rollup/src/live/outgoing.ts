import { type AccountId, toHex } from '@switchyard/protocol';
import { sleep } from '@switchyard/service/browser';
import type { Input } from '@switchyard/service/input';
import type { RollupAction } from '../app/definition.ts';
import type { AnySigner } from '../define/submission.ts';
import type { SendOptions } from './options.ts';
import { turnOf } from './outbox.ts';
import type { Shown } from './pending.ts';
import type { Cut } from './replica.ts';
import { type Account, blockOf, type OutgoingDeps } from './sending.ts';
import { Entry, NotSigned, refusedHere, type Sent, type SentState, stateOfReceipt } from './sent.ts';
import { Value } from './store.ts';

/** How often an action is signed, if other transactions use its nonces up or its blocks are over. */
const MOST_TRIES = 5;
/** Actions of an account under way: all of them are executed again after each block. */
const MOST_UNDER_WAY = 256;
/** Settled actions that are still listed, and outcomes that are remembered. */
const MOST_SETTLED = 100;
const MOST_OUTCOMES = 4_096;
const RETRY_MS = 1_000;
const EXPIRED: SentState = { state: 'expired', reason: 'no block up to its last one has it' };
const UNKNOWN: SentState = { state: 'unknown', reason: 'the node does not list the outcomes of its blocks any more' };

/** Actions on their way to a block: kept, signed, sent, and settled by the outcomes in blocks. */
export class Outgoing {
  readonly sent = new Value<readonly Sent[]>([]);
  readonly #deps: OutgoingDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #accounts = new Map<AccountId, Account>();
  /** Outcomes by the hashes of transactions. */
  readonly #outcomes = new Map<string, SentState | 'outrun'>();

  constructor(deps: OutgoingDeps) {
    this.#deps = deps;
    const stop = deps.outbox.onChange(() => {
      for (const id of this.#accounts.keys()) void this.#load(id);
    });
    deps.signal.addEventListener('abort', stop, { once: true });
  }

  /** Sends for an account from now on, beginning with the actions in the outbox. */
  join(signer: AnySigner): void {
    const { signal, outbox, defined } = this.#deps;
    const id = signer.account;
    const known = this.#accounts.get(id);
    if (known !== undefined) {
      known.signer = signer;
      return;
    }
    this.#accounts.set(id, { signer, since: undefined, isWhole: false, isHolder: false, wake: () => undefined });
    void this.#begin(id);
    const turn = turnOf({ account: id, fingerprint: defined.fingerprint });
    const leave = outbox.hold(turn, (held) => this.#work(id, held));
    signal.addEventListener('abort', leave, { once: true });
  }

  /** Follows outcomes since the first of the actions was signed. */
  async #begin(id: AccountId): Promise<void> {
    await this.#load(id);
    const cursors = [...this.#entries.values()].flatMap(({ account, isDone, stored: { signed } }) =>
      account === id && !isDone && signed !== undefined ? [signed.cursor] : [],
    );
    const [oldest] = cursors.sort((one, other) => (blockOf(one) < blockOf(other) ? -1 : 1));
    Object.assign(this.#accounts.get(id) ?? {}, { since: oldest && blockOf(oldest), isWhole: false });
    if (!this.#deps.signal.aborted) this.#deps.follow(id, oldest);
  }

  submit(actions: readonly RollupAction[], options: SendOptions): Sent {
    const { signer = this.#deps.options.signer, waitFor, validFor } = options;
    if (signer === undefined)
      throw new Error('an action has no signer: expected one in the options of the client or of the call');
    this.join(signer);
    const { defined, outbox, cut, chain } = this.#deps;
    const { chainId = '' } = chain() ?? {};
    const lastBlock = validFor === undefined ? undefined : (cut()?.block ?? 0n) + BigInt(validFor);
    const at = Math.max(0, ...[...this.#entries.values()].map((each) => each.stored.at)) + 1;
    const { fingerprint, body } = defined;
    const stored = {
      ...{ key: toHex(crypto.getRandomValues(new Uint8Array(32))), account: signer.account, chainId, fingerprint },
      ...{ at, tries: 0, actions: body.encode({ nonce: 0, chainId, actions }) },
      ...(lastBlock !== undefined && { lastBlock: String(lastBlock) }),
      ...(waitFor !== undefined && { waitFor }),
    };
    const entry = new Entry(stored, actions, this.#forget);
    const underWay = [...this.#entries.values()].filter((each) => each.account === signer.account && !each.isDone);
    this.#entries.set(entry.key, entry);
    if (underWay.length >= MOST_UNDER_WAY)
      entry.change({ state: 'refused', reason: `the account has ${underWay.length} actions under way` });
    this.#list();
    if (entry.isDone) return entry;
    outbox.put(entry.stored).then(
      () => {
        entry.isStored = true;
        this.wake();
      },
      (error: unknown) => this.#settle(entry, { state: 'refused', reason: `it cannot be kept: ${String(error)}` }),
    );
    return entry;
  }

  /** Actions in the order in which blocks are to have them, without those of other chains and definitions. */
  pending(): readonly Entry[] {
    const own = [...this.#entries.values()].filter((entry) => !entry.isDone && this.#obstacle(entry) === undefined);
    const orderOf = ({ nonce = Number.MAX_SAFE_INTEGER }: Entry) => nonce;
    return own.sort((one, other) => orderOf(one) - orderOf(other) || one.stored.at - other.stored.at);
  }

  /** Takes the effects of pending actions in. */
  show(entries: readonly Entry[], shown: readonly (Shown | undefined)[]): void {
    entries.forEach((entry, at) => {
      const found = shown[at];
      if (found?.kind === 'missing') return;
      const isNews = !entry.isChecked;
      entry.isChecked = true;
      const { state } = entry.get();
      // Bytes that are signed may be executed all the same.
      if (found?.kind === 'refused' && found.isSure && entry.stored.signed === undefined) {
        const refused = refusedHere(this.#deps.defined, found.error);
        if (!entry.isHeldBy(refused.kind ?? found.error.reason)) this.#settle(entry, refused);
        else if (state !== 'held') entry.change({ ...refused, state: 'held' });
      } else if (state === 'held' || (isNews && state === 'waiting')) entry.change({ state: 'shown' });
    });
    this.wake();
  }

  /** Takes outcomes in. */
  receive(id: AccountId, part: Input, block: bigint): void {
    const account = this.#accounts.get(id);
    if (account === undefined) return;
    if (part.at('again').isPresent) {
      account.since = block;
      // Perhaps the node has begun again: its answer to the same bytes tells whether they can be in a block.
      for (const each of this.#entries.values())
        if (each.account === id && each.isOut) Object.assign(each, { isOut: false, isForgotten: true });
    }
    account.since ??= block;
    account.isWhole = part.at('isWhole').value !== false;
    for (const receipt of part.at('receipts').list())
      this.#outcomes.set(receipt.at('hash').text(), stateOfReceipt(this.#deps.defined, receipt));
    for (const hash of this.#outcomes.keys()) if (this.#outcomes.size > MOST_OUTCOMES) this.#outcomes.delete(hash);
  }

  /** The connection was lost: blocks may be among the rows whose outcomes have not been received. */
  lag(): void {
    for (const account of this.#accounts.values()) account.isWhole = false;
  }

  /** Settles the actions that the blocks up to a cut have decided. */
  look({ block, firm }: Cut): void {
    for (const entry of this.#entries.values()) {
      const now = entry.get();
      if (['executed', 'proven'].includes(now.state) && (now.block ?? block) <= firm)
        entry.change({ ...now, state: 'firm' });
      const account = this.#accounts.get(entry.account);
      const isOpen = !entry.isDone || now.state === 'unknown';
      if (account === undefined || !isOpen || this.#obstacle(entry) !== undefined) continue;
      const { signed, lastBlock = signed?.lastBlock } = entry.stored;
      const found = signed && this.#outcomes.get(signed.hash);
      const isOver = lastBlock !== undefined && BigInt(lastBlock) <= block;
      const isUsed = signed !== undefined && (this.#deps.nonceOf(entry.account) ?? 0) > signed.nonce;
      if (found !== undefined && found !== 'outrun') this.#settle(entry, found);
      else if (entry.isDone || !account.isHolder) continue;
      else if (signed === undefined) {
        if (isOver) this.#settle(entry, EXPIRED);
      } else if (found === 'outrun') this.#signAgain(entry);
      else if (account.isWhole && (isUsed || isOver)) {
        if (account.since !== undefined && account.since <= blockOf(signed.cursor)) this.#signAgain(entry);
        else this.#settle(entry, UNKNOWN);
      }
    }
  }

  wake(): void {
    for (const account of this.#accounts.values()) account.wake();
  }

  /** Why an action is kept and not sent. */
  #obstacle({ stored }: Entry): string | undefined {
    const { defined, chain } = this.#deps;
    if (stored.fingerprint !== defined.fingerprint) return 'it was made by another version of this program';
    const { chainId } = chain() ?? {};
    const isOwn = chainId === undefined || ['', chainId].includes(stored.chainId);
    return isOwn ? undefined : `it is for the chain ${stored.chainId}, and the node has ${chainId}`;
  }

  /** Its bytes can have no effect any more. */
  #signAgain(entry: Entry): void {
    const { signed: _, ...unsigned } = entry.stored;
    const { lastBlock, tries } = unsigned;
    const isOver = lastBlock !== undefined && BigInt(lastBlock) <= (this.#deps.cut()?.block ?? 0n);
    entry.stored = unsigned;
    entry.isOut = false;
    if (isOver) this.#settle(entry, EXPIRED);
    else if (tries >= MOST_TRIES)
      this.#settle(entry, { state: 'refused', reason: `other transactions have used ${tries} nonces that it had` });
    else entry.change({ state: 'shown' });
    this.wake();
  }

  #forget = (entry: Entry): void => {
    if (!this.#entries.delete(entry.key)) return;
    if (!entry.isDone) void this.#deps.outbox.delete(entry.key).catch(() => undefined);
    this.#list();
  };

  #settle(entry: Entry, state: SentState): void {
    const { outbox, proven, changed } = this.#deps;
    entry.change(state);
    void outbox.delete(entry.key).catch(() => undefined);
    const { signed } = entry.stored;
    if (state.state === 'executed' && signed !== undefined && state.block !== undefined)
      void proven(signed.hash, state.block)?.then(() => {
        if (entry.get().state === 'executed') entry.change({ ...entry.get(), state: 'proven' });
      });
    const settled = [...this.#entries.values()].filter(({ isDone }) => isDone);
    for (const { key } of settled.slice(0, -MOST_SETTLED)) this.#entries.delete(key);
    this.#list();
    changed();
  }

  #list(): void {
    this.sent.set([...this.#entries.values()]);
    this.#deps.changed();
  }

  /** Brings the entries of an account to its outbox. */
  async #load(id: AccountId): Promise<void> {
    const { defined, outbox } = this.#deps;
    const before = [...this.#entries.values()].filter((each) => each.account === id && each.isStored);
    const stored = await outbox.load(id).catch(() => []);
    for (const each of [...stored].sort((one, other) => one.at - other.at)) {
      const known = this.#entries.get(each.key);
      if (known !== undefined) {
        if (this.#accounts.get(id)?.isHolder === false) known.stored = each;
        continue;
      }
      const isOwn = each.fingerprint === defined.fingerprint;
      const entry = new Entry(each, isOwn ? defined.body.decode(each.actions).actions : [], this.#forget);
      entry.isStored = true;
      this.#entries.set(each.key, entry);
    }
    const keys = new Set(stored.map(({ key }) => key));
    for (const entry of before) {
      if (entry.isDone || keys.has(entry.key)) continue;
      this.#settle(entry, { state: 'unknown', reason: 'another client of the outbox has settled it' });
    }
    this.nameObstacles();
    this.#list();
    this.wake();
  }

  /** States why actions for another chain, or by another definition, are not sent. */
  nameObstacles(): void {
    for (const entry of this.#entries.values()) {
      const reason = this.#obstacle(entry);
      if (reason !== undefined && !entry.isDone) entry.change({ state: 'waiting', reason });
    }
  }

  /** Sends the actions of an account one after another, until the signal aborts. */
  async #work(id: AccountId, signal: AbortSignal): Promise<void> {
    const account = this.#accounts.get(id);
    if (account === undefined) return;
    signal.addEventListener('abort', () => account.wake(), { once: true });
    await this.#begin(id);
    account.isHolder = true;
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        account.wake = resolve;
      });
      // Bytes are signed once outcomes are received: none of a block that may have them is missed then.
      const isReady = (entry: Entry) => entry.isReady && (entry.stored.signed !== undefined || account.isWhole);
      const next = this.pending().find((entry) => entry.account === id && isReady(entry));
      if (next === undefined || this.#deps.chain() === undefined) await woken;
      else
        await this.#deliver(next, account.signer, signal).catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          if (error instanceof NotSigned) return this.#settle(next, { state: 'refused', reason });
          next.change({ state: 'waiting', reason });
          return sleep(RETRY_MS, signal).catch(() => undefined);
        });
    }
    account.isHolder = false;
  }

  /** Sends an action; rejects if that is to be tried again, with the same bytes. */
  async #deliver(entry: Entry, signer: AnySigner, signal: AbortSignal): Promise<void> {
    const { outbox, options, chain, cut } = this.#deps;
    const node = await this.#deps.node();
    const isFirst = entry.stored.signed === undefined;
    if (isFirst) {
      const cursor = cut()?.cursor ?? '';
      const { chainId = '' } = chain() ?? {};
      const signed = { ...(await node.sign(entry, signer, options.validFor, signal)), cursor };
      // Another client may have got its turn in the meantime.
      signal.throwIfAborted();
      if (!this.#entries.has(entry.key)) return;
      const stored = { ...entry.stored, chainId, signed, tries: entry.stored.tries + 1 };
      // Durable before it is sent: after a reload the same bytes are sent.
      await outbox.put(stored);
      entry.stored = stored;
      this.#deps.changed();
    }
    signal.throwIfAborted();
    const { signed } = entry.stored;
    if (signed === undefined || entry.isDone) return;
    const answer = await node.submit(signed.bytes, signal);
    if (entry.isDone) return;
    if (answer.kind === 'again') throw new Error(answer.reason);
    if (answer.kind === 'refused' && entry.isHeldBy(answer.code)) {
      // After the next block its bytes are sent again.
      entry.change({ state: 'held', reason: answer.reason });
      return;
    }
    // A copy of bytes that were sent before may have been accepted: their outcome is in a block.
    if (answer.kind === 'accepted' || (!isFirst && !entry.isForgotten)) {
      Object.assign(entry, { isOut: true, isForgotten: false });
      entry.change({ state: 'accepted' });
    } else if (!isFirst) this.#settle(entry, UNKNOWN);
    else if (answer.kind === 'outrun') this.#signAgain(entry);
    else this.#settle(entry, { state: 'refused', reason: answer.reason });
  }
}
