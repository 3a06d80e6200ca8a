import { nonces } from '@switchyard/machine/browser';
import { type AccountId, formatAddress } from '@switchyard/protocol';
import { retry } from '@switchyard/service/browser';
import { Input } from '@switchyard/service/input';
import type { QueryCall } from '../define/contract.ts';
import type { AnyRollup, QueryContext } from '../define/definition.ts';
import { type Connection, type ConnectionHandlers, connect } from './connection.ts';
import { NewestParts } from './newest.ts';
import type { Chain, Node } from './node.ts';
import type { NodeCheck } from './node-check.ts';
import type { ConnectionState, Head, LiveOptions, ProofState } from './options.ts';
import { memoryOutbox } from './outbox.ts';
import { Outgoing } from './outgoing.ts';
import { Machine, type Rebased, rebase } from './pending.ts';
import { type Answer, type Ask, evaluated, type LiveQuery, type LiveValueOptions, queriesOn } from './queries.ts';
import { Reads, type Want } from './reads.ts';
import { Replica } from './replica.ts';
import { Value } from './store.ts';

/** Keeps rows, executes pending actions on them, and evaluates queries again when rows change that they read. */
export class LiveCore {
  readonly connection = new Value<ConnectionState>({ state: 'connecting' });
  readonly head = new Value<Head | undefined>(undefined);
  readonly outgoing: Outgoing;
  readonly logs = new NewestParts(
    () => this.#connection,
    () => this.#nextId(),
  );
  readonly proof = new Value<ProofState>({ state: 'off' });
  readonly #defined: AnyRollup;
  readonly #options: LiveOptions;
  readonly #replica: Replica;
  readonly #closing = new AbortController();
  readonly #connection: Connection;
  readonly #queries = new Set<LiveQuery>();
  /** Answers of the node by the paths of queries, and the blocks after which they were wanted. */
  readonly #answers = new Map<string, { readonly block: bigint; readonly isHere: boolean; get(): unknown }>();
  /** Accounts by the parts with their outcomes. */
  readonly #receipts = new Map<number, AccountId>();
  #check: Promise<NodeCheck> | undefined;
  #lastId = 0;
  #node: Promise<Node> | undefined;
  #identifying = new AbortController();
  #chain: Chain | undefined;
  #machine: Machine | undefined;
  #rebased: Rebased | undefined;
  /** Keys that have changed since queries were evaluated last. */
  #changed = new Set<string>();
  #isAtWork = false;
  #isDirty = false;

  constructor(defined: AnyRollup, options: LiveOptions) {
    this.#defined = defined;
    this.#options = options;
    this.#replica = new Replica(defined.tables ?? [], options.byRows ?? []);
    if (options.verify !== undefined) this.#check = this.#startCheck();
    this.outgoing = new Outgoing({
      ...{ defined, options, outbox: options.outbox ?? memoryOutbox(), signal: this.#closing.signal },
      node: () => this.#getNode(),
      proven: (hash, block) => this.#check?.then((check) => check.proven(hash, block)),
      chain: () => this.#chain,
      cut: () => this.#replica.cut,
      nonceOf: (account) => this.#nonceOf(account),
      follow: (account, cursor) => this.#followAccount(account, cursor),
      changed: () => this.#refresh(),
    });
    const handlers: ConnectionHandlers = {
      onState: (state, reason) => this.#onState(state, reason),
      onNotice: (notice) => this.#onNotice(new Input(notice, 'live')),
      onRefused: (id, reason) => {
        this.logs.refuse(id, reason);
        this.#replica.refuse(id);
        this.#refresh();
      },
    };
    this.#connection = connect(options.url, handlers, options.socket);
    if (options.signer !== undefined) this.outgoing.join(options.signer);
  }

  /** @throws {Error} if the node lacks parts of the definition, since it would take an action for a different one. */
  mustWrite(): void {
    const { state, reason } = this.connection.get();
    if (state === 'read-only' || state === 'refused')
      throw new Error(`nothing is sent to ${this.#options.url}: ${reason}`);
  }

  live<T>(run: (ask: Ask, context: QueryContext) => T, options: LiveValueOptions = {}): Value<Answer<T>> {
    const answer = new Value<Answer<unknown>>({ state: 'loading' }, (count) => {
      if (count > 0) this.#queries.add(query);
      else this.#queries.delete(query);
      if (count > 0) this.#evaluate(query);
    });
    const query: LiveQuery = { answer, run, options, reads: undefined };
    // The value is what the function returns.
    return answer as Value<Answer<T>>;
  }

  close(): void {
    this.#closing.abort();
    this.#identifying.abort();
    this.#connection.close();
    void this.#check?.then((check) => check.close());
  }

  async #startCheck(): Promise<NodeCheck> {
    this.proof.set({ state: 'starting' });
    const { NodeCheck } = await import('./node-check.ts');
    return new NodeCheck({
      ...{ defined: this.#defined, options: this.#options, proof: this.proof, signal: this.#closing.signal },
      shown: () => this.#replica.shown(),
      refuse: (reason) => this.connection.set({ state: 'refused', reason }),
    });
  }

  #getNode(): Promise<Node> {
    const { url, fetch } = this.#options;
    this.#node ??= import('./node.ts').then(({ nodeOf }) => nodeOf(this.#defined, { url, ...(fetch && { fetch }) }));
    return this.#node;
  }

  #onState(state: 'connecting' | 'live' | 'offline', reason?: string): void {
    this.#identifying.abort();
    if (state === 'live') {
      this.#identifying = new AbortController();
      void this.#identify(this.#identifying.signal);
      return;
    }
    this.#replica.lag();
    this.logs.lag();
    this.outgoing.lag();
    this.#announce({ state, ...(reason !== undefined && { reason }) });
  }

  #announce(state: ConnectionState): void {
    if (this.connection.get().state !== 'refused') this.connection.set(state);
  }

  /** Learns which chain the node has, which may have been reset since the last connection. */
  async #identify(signal: AbortSignal): Promise<void> {
    const asked = retry(async () => (await this.#getNode()).identify(signal), {
      signal,
      onRetry: (error) => this.#announce({ state: 'connecting', reason: String(error) }),
    });
    const chain = await asked.catch(() => undefined);
    if (chain === undefined || signal.aborted) return;
    const { chainId, differences, genesis } = chain;
    if (this.#chain?.chainId !== chainId) {
      this.#machine = new Machine(this.#defined, genesis);
      void this.#check?.then((check) => check.start(chain));
      this.#answers.clear();
    }
    this.#chain = chain;
    this.outgoing.nameObstacles();
    const reason = `the node has another definition: ${differences.join('; ')}`;
    this.#announce(differences.length === 0 ? { state: 'live' } : { state: 'read-only', reason });
    this.#refresh();
  }

  #nonceOf(account: AccountId): number | undefined {
    const reads = new Reads();
    try {
      return this.#replica.read(reads, () => nonces.get(this.#replica.state, account));
    } catch {
      return undefined;
    }
  }

  #followAccount(account: AccountId, from: string | undefined): void {
    for (const [id, other] of this.#receipts)
      if (other === account && this.#receipts.delete(id)) this.#connection.drop(id);
    const id = this.#nextId();
    this.#receipts.set(id, account);
    const address = formatAddress(account);
    this.#connection.follow({ id, receipts: address, ...(from !== undefined && { from }) });
    this.#follow({ cover: nonces.storeKey(account), table: 'nonces', prefix: [address] });
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #follow(want: Want | undefined): void {
    if (want === undefined || !this.#replica.add(this.#lastId + 1, want)) return;
    const { table, prefix } = want;
    this.#connection.follow({ id: this.#nextId(), table, prefix });
  }

  #onNotice(notice: Input): void {
    for (const key of this.#replica.apply(notice)) this.#changed.add(key);
    const { cut } = this.#replica;
    if (cut === undefined) return;
    for (const part of notice.at('parts').list()) {
      this.logs.take(part);
      const account = this.#receipts.get(part.at('id').integer());
      if (account !== undefined) this.outgoing.receive(account, part, cut.block);
    }
    const { received } = this.#replica;
    void this.#check?.then((check) => check.announced(cut.block, cut.hash, received));
    this.outgoing.look(cut);
    this.#refresh();
    this.head.set(cut);
  }

  /** Brings pending actions and queries to the rows. */
  #refresh(): void {
    this.#isDirty = true;
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    try {
      while (this.#isDirty) {
        this.#isDirty = false;
        this.#refreshOnce();
      }
    } finally {
      this.#isAtWork = false;
    }
  }

  #refreshOnce(): void {
    const { cut } = this.#replica;
    if (cut === undefined || this.#replica.isBehind) return;
    if (this.#machine !== undefined) {
      const pending = this.outgoing.pending();
      const before = this.#rebased;
      this.#rebased = rebase(this.#machine, this.#replica, cut, pending);
      for (const state of [before?.state, this.#rebased.state])
        for (const key of state?.keys() ?? []) this.#changed.add(key);
      this.outgoing.show(pending, this.#rebased.shown);
      this.#follow(this.#rebased.reads.want);
    }
    const changed = this.#changed;
    this.#changed = new Set();
    for (const query of [...this.#queries]) {
      const { reads } = query;
      if (reads?.want !== undefined || reads?.isOfNode !== false || reads.touch(changed)) this.#evaluate(query);
    }
  }

  #evaluate(query: LiveQuery): void {
    const { cut } = this.#replica;
    if (this.#replica.isBehind) return;
    const reads = new Reads();
    query.reads = reads;
    const { block, time } = cut ?? { block: 0n, time: { seconds: 0n, nanos: 0 } };
    const rebased = query.options.pending === false ? undefined : this.#rebased;
    const state = rebased?.state ?? this.#replica.state;
    const askNode = (call: QueryCall, path: string): unknown => {
      reads.isOfNode = true;
      return this.#ask(query, call, path, block);
    };
    const before = query.answer.get();
    const { ask, context } = queriesOn(this.#defined, this.#replica.tables, { state, block, time }, reads, askNode);
    const next = this.#replica.read(reads, () => evaluated(before, reads, block, () => query.run(ask, context)));
    this.#follow(reads.want);
    // An equal value of a later block is no news.
    if (toText({ ...next, block: 0n }) !== toText({ ...before, block: 0n })) query.answer.set(next);
  }

  /** The newest answer of the node, requested again after each block. */
  #ask(query: LiveQuery, call: QueryCall, path: string, block: bigint): unknown {
    const known = this.#answers.get(path);
    if (known === undefined || (known.isHere && known.block < block)) {
      const take = (get: () => unknown): void => {
        this.#answers.set(path, { block, isHere: true, get });
        this.#evaluate(query);
      };
      this.#answers.set(path, { get: () => undefined, ...known, block, isHere: false });
      this.#getNode()
        .then((node) => node.ask(call, path, this.#closing.signal))
        .then(
          (answer) => take(() => answer),
          (error: unknown) =>
            take(() => {
              throw error;
            }),
        );
    }
    return known?.get();
  }
}

/** Text by which answers are compared. */
const toText = ({ error, ...answer }: Answer<unknown>): string =>
  JSON.stringify([answer, error?.message], (_, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each));
