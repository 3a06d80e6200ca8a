/*
 * Several validators of one chain under a model of the calls that CometBFT makes: proposals of changing proposers that may be altered on
 * their way, rounds without a decision, blocks that a node gets later than others, crashes and losses of power between and within the
 * calls, replays, and checks of waiting transactions. Every node has to come to the same results, by the decided blocks alone.
 */

import { openLmdbStore } from '@switchyard/machine';
import {
  type Action,
  createSigner,
  rollupIdFromName,
  type Signer,
  sha256,
  signTransaction,
} from '@switchyard/protocol';
import { MemoryDisk } from '@switchyard/storage';
import { expect, test } from 'vitest';
import { MEMPOOL_DEFAULTS } from '../mempool/mempool.ts';
import { SequencerApplication } from './application.ts';
import {
  alice,
  bob,
  bridge,
  CHAIN_ID,
  data,
  initBridge,
  lock,
  pauper,
  sudo,
  testGenesis,
  transfer,
  unlock,
  validator,
} from './testing.ts';
import type { BlockResult, DecidedBlock, Proposal } from './types.ts';

const NODES = 4;
const HEIGHTS = 25;
/** More by `SWITCHYARD_SEEDS`. */
const SEEDS = Number(process.env.SWITCHYARD_SEEDS ?? 12);
const ROUNDS = 4;
const ROOT = '/several-validators';

type Chance = ReturnType<typeof makeChance>;

/** Draws from a seed, the same on every machine. */
function makeChance(seed: number) {
  let drawn = 0;
  const below = (bound: number): number => {
    drawn += 1;
    return Buffer.from(sha256(Buffer.from(`${seed} ${drawn}`))).readUInt32LE() % bound;
  };
  return {
    below,
    happens: (percent: number) => below(100) < percent,
    of: <T>(items: readonly T[]): T => items[below(items.length)] as T,
  };
}

/** A node: its disk outlives its process. */
class Node {
  readonly #disk: MemoryDisk;
  readonly #directory: string;
  #app: SequencerApplication | undefined;
  /** Transactions in the mempool of its CometBFT, which asks about each again after a block. */
  held: Uint8Array[] = [];

  constructor(disk: MemoryDisk, name: string) {
    this.#disk = disk;
    this.#directory = `${ROOT}/${name}`;
    this.#app = this.#open();
  }

  get app(): SequencerApplication {
    if (this.#app === undefined) throw new Error('the node does not run');
    return this.#app;
  }

  get height(): bigint {
    return this.app.info().height;
  }

  /** Its process ends, and with a loss of power unflushed data may be lost. CometBFT's mempool is gone. */
  crash(keeps?: (unflushed: number) => number): void {
    if (keeps === undefined) this.#disk.kill(this.#directory);
    else this.#disk.losePower(this.#directory, keeps);
    this.held = [];
    this.#app = this.#open();
  }

  submit(tx: Uint8Array): boolean {
    const isHeld = this.app.checkTx(tx, 'new').code === 0;
    if (isHeld && !this.held.includes(tx)) this.held.push(tx);
    return isHeld;
  }

  recheck(): void {
    this.held = this.held.filter((tx) => this.app.checkTx(tx, 'recheck').code === 0);
  }

  #open(): SequencerApplication {
    const store = openLmdbStore(this.#directory);
    const app = new SequencerApplication({ version: '0', mempool: MEMPOOL_DEFAULTS }, { store, now: () => 0 });
    // CometBFT gives the genesis to an application that has no block.
    if (app.info().height === 0n) app.initChain(testGenesis());
    return app;
  }
}

/** Blocks that were decided, with the results that the first node had. */
interface Decided {
  readonly block: DecidedBlock;
  result: BlockResult | undefined;
}

class Chain {
  readonly decided: Decided[] = [];
  readonly nodes: readonly Node[];
  readonly #chance: Chance;
  readonly #nonces = new Map<Signer, number>();
  #event = 0;

  constructor(disk: MemoryDisk, chance: Chance) {
    this.#chance = chance;
    this.nodes = Array.from({ length: NODES }, (_, index) => new Node(disk, `node-${index}`));
  }

  async makeBlock(): Promise<void> {
    this.#submit();
    const height = BigInt(this.decided.length) + 1n;
    this.decided.push({ block: this.#decide(height), result: undefined });
    for (const node of this.nodes) {
      // Others have the block now, and it gets it later, with the later ones.
      if (this.#chance.happens(20)) continue;
      await this.catchUp(node);
    }
    // At least one has it, since more than two thirds have decided it.
    if (this.#atHead().length === 0) await this.catchUp(this.#chance.of(this.nodes));
  }

  /** Gives a node its missing blocks, with random events in between. */
  async catchUp(node: Node, isCalm = false): Promise<void> {
    const { happens } = this.#chance;
    while (node.height < BigInt(this.decided.length)) {
      const next = this.decided[Number(node.height)];
      if (next === undefined) throw new Error('no such block');
      if (!isCalm && happens(10)) node.app.processProposal(next.block);
      if (!isCalm && happens(5)) this.#crash(node);
      this.#finalize(node, next);
      if (!isCalm && happens(10)) this.#finalize(node, next);
      if (!isCalm && happens(10)) {
        this.#crash(node);
        continue;
      }
      const committing = node.app.commit();
      if (!isCalm && happens(10)) {
        // Whether it is lost or not, its result is not awaited any more.
        void committing.catch(() => undefined);
        const before = BigInt(next.block.height) - 1n;
        this.#crash(node);
        expect([before, before + 1n]).toContain(node.height);
        continue;
      }
      await committing;
      expect(node.app.info().appHash).toEqual(next.result?.appHash);
      if (happens(70)) node.recheck();
    }
  }

  #finalize(node: Node, decided: Decided): void {
    const result = node.app.finalizeBlock(decided.block);
    decided.result ??= result;
    expect(result).toEqual(decided.result);
  }

  #crash(node: Node): void {
    const { happens, below } = this.#chance;
    node.crash(happens(50) ? undefined : (unflushed) => below(unflushed + 1));
  }

  #atHead(): Node[] {
    return this.nodes.filter(({ height }) => height === BigInt(this.decided.length));
  }

  /** Rounds until a proposal is decided, as those do that have all blocks before. */
  #decide(height: bigint): DecidedBlock {
    const { happens, of: item, below } = this.#chance;
    for (let round = 0; ; round += 1) {
      const voters = this.#atHead();
      if (voters.length === 0) {
        // With the last block on one node alone there is no quorum; the model need not wait for it.
        throw new Error('no node has all blocks');
      }
      const proposer = item(voters);
      const context = {
        height,
        time: { seconds: 1_700_000_000n + 2n * height + BigInt(round), nanos: 0 },
        proposer: Buffer.from(item([validator, alice, bob]).account, 'hex'),
        misbehavior: happens(5) ? [this.#misbehavior(height)] : [],
        lastCommit: { round: 0, votes: [] },
      };
      const maxTxBytes = happens(20) ? 400 + below(2_000) : 1_000_000;
      const honest = proposer.app.prepareProposal({ ...context, maxTxBytes });
      expect(honest.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(maxTxBytes);
      const isAltered = round < ROUNDS - 1 && happens(30);
      // Evidence belongs to the block as its transactions do, and an honest proposer's is changed in the same way.
      const isOther = round < ROUNDS - 1 && happens(10);
      const evidence = isOther ? { misbehavior: [this.#misbehavior(height)] } : {};
      const proposal: Proposal = { ...context, ...evidence, txs: isAltered ? this.#altered(honest) : honest };
      const wanted = voters.filter((node) => node !== proposer || happens(50));
      const verdicts = wanted.map((node) => node.app.processProposal(proposal));
      // A node that rejects a block which others accept stops the chain, or forks it.
      expect(new Set(verdicts).size).toBeLessThanOrEqual(1);
      if (!isAltered && !isOther && verdicts.length > 0) expect(verdicts).toContain('accept');
      const isDecided = !verdicts.includes('reject') && (verdicts.length > 0 || !(isAltered || isOther));
      if (isDecided && (round >= ROUNDS - 1 || happens(70)))
        return { ...proposal, hash: sha256(...proposal.txs, Buffer.from(`${height} ${round}`)) };
    }
  }

  #misbehavior(height: bigint) {
    const who = this.#chance.of([alice, bob, validator]);
    const address = Buffer.from(who.account, 'hex');
    const time = { seconds: 1n, nanos: 0 };
    return { kind: 'duplicate-vote', address, power: 3n, height: height - 1n, time, totalPower: 13n } as const;
  }

  /** Entries of a faulty or hostile proposer. */
  #altered(entries: readonly Uint8Array[]): readonly Uint8Array[] {
    const { below, of: item } = this.#chance;
    const at = below(entries.length);
    const entry = entries[at] ?? new Uint8Array();
    const flipped = Uint8Array.from(entry);
    const position = below(Math.max(1, flipped.length));
    flipped[position] = (flipped[position] ?? 0) ^ (1 << below(8));
    return item([
      () => entries.filter((_, index) => index !== at),
      () => [...entries, entry],
      () => entries.with(at, flipped),
      () => entries.toReversed(),
      () => entries.with(at, entry.subarray(0, entry.length >> 1)),
      () => [...entries, Buffer.from('no transaction')],
      () => [...entries.slice(0, 2), ...this.decided.flatMap(({ block }) => block.txs.slice(2, 3)).slice(-1)],
      () => [],
    ])();
  }

  /** Some transactions, each to some nodes; a few have a nonce that is not the next one. */
  #submit(): void {
    const { below, happens, of: item } = this.#chance;
    for (let count = below(6); count > 0; count -= 1) {
      const signer = item([alice, bob, bridge, sudo, pauper]);
      const nonce = this.#nonces.get(signer) ?? 0;
      const skipped = happens(10) ? below(3) - 1 : 0;
      let tx: Uint8Array;
      try {
        const actions = [this.#action(signer)];
        if (happens(20)) actions.push(data(`more ${below(100)}`));
        tx = signTransaction({ nonce: Math.max(0, nonce + skipped), chainId: CHAIN_ID, actions }, signer);
      } catch {
        // Some actions have to be alone in a transaction.
        continue;
      }
      const taken = this.nodes.filter((node) => happens(60) && node.submit(tx));
      if (taken.length > 0 && skipped === 0) this.#nonces.set(signer, nonce + 1);
    }
  }

  #action(signer: Signer): Action {
    const { below, of: item } = this.#chance;
    this.#event += 1;
    const key = item([alice, bob, createSigner(new Uint8Array(32).fill(20 + below(3)))]).publicKey;
    const common: (() => Action)[] = [
      () => data('x'.repeat(1 + below(300)), rollupIdFromName(item(['chat', 'second']))),
      () => transfer(item([alice, bob, pauper, bridge]), BigInt(below(2_000))),
      () => lock(BigInt(below(500))),
    ];
    const own: (() => Action)[] =
      signer === sudo
        ? [
            () => ({ kind: 'validatorUpdate', publicKey: key, power: BigInt(below(4)), name: 'v' }),
            () => ({ kind: 'feeChange', action: 'transfer', base: BigInt(below(30)), multiplier: 0n }),
          ]
        : signer === bridge
          ? [() => initBridge(), () => unlock(BigInt(1 + below(50)), `w${below(40)}`)]
          : [];
    return item([...common, ...own, ...own])();
  }
}

test(`${NODES} validators have the same results, whatever is proposed, whoever crashes and whoever is late`, async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const disk = new MemoryDisk();
    const unmount = disk.mount(ROOT);
    try {
      const chain = new Chain(disk, makeChance(seed));
      for (let made = 0; made < HEIGHTS; made += 1) await chain.makeBlock();
      for (const node of chain.nodes) await chain.catchUp(node, true);
      const heads = chain.nodes.map(({ app }) => app.info());
      expect(heads.map(({ height }) => height)).toEqual(heads.map(() => BigInt(HEIGHTS)));
      expect(new Set(heads.map(({ appHash }) => Buffer.from(appHash).toString('hex'))).size).toBe(1);
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    } finally {
      unmount();
    }
  }
});
