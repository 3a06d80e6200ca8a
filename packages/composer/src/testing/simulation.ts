import { Endpoints } from '@switchyard/client';
import { formatAddress, parseDenom, type RollupId, rollupIdFromName, sha256Hex, toHex } from '@switchyard/protocol';
import { alice } from '@switchyard/protocol/testing';
import { silentLogger } from '@switchyard/service';
import { longestItem } from '../bundles/bundle.ts';
import { type Composer, createComposer } from '../composer.ts';
import { type Intake, Refusing } from '../intake/intake.ts';
import type { CopyRule } from '../queue/copies.ts';
import { getGroup } from '../queue/items.ts';
import { type Change, createJournal } from '../queue/journal.ts';
import { decodeOutcome } from '../queue/records.ts';
import { severalSequencers } from '../sequencer/failover.ts';
import type { Sequencer, SequencerNode } from '../sequencer/sequencer.ts';
import { FAILS_IN_A_BLOCK, HEADERS, ModelChain, ModelSequencer, REFUSED_ON_ARRIVAL } from './model-sequencer.ts';
import { SimulatedDisk, SimulatedTime, seededRandom } from './world.ts';

const FAULTS_END_MS = 4_000;
/** Time in which all has to be in blocks when nothing goes wrong any more. */
const GRACE_MS = 1_000_000;
const BUNDLE_BYTES = 700;
const ROLLUPS = [rollupIdFromName('one'), rollupIdFromName('two')] as const;

/** Faults of one run. Each is drawn from the seed, so that some runs have few faults and some have all. */
export interface Faults {
  readonly crashes: boolean;
  readonly sequencerRestarts: boolean;
  readonly lostRequests: boolean;
  readonly lostAnswers: boolean;
  readonly evictions: boolean;
  readonly intruder: boolean;
  readonly dryAccount: boolean;
  readonly poison: boolean;
  readonly failures: boolean;
  readonly moods: boolean;
  readonly otherFeeAssets: boolean;
  /** Nodes of the sequencer that the composer knows. */
  readonly nodes: number;
  readonly lateNodes: boolean;
  readonly gossip: boolean;
  /** Some submissions belong together. */
  readonly bundles: boolean;
  /** Submitters repeat their submissions, acknowledged or not, in a block or not. */
  readonly repeats: boolean;
  /** A node claims to be far ahead, for a while. */
  readonly claimsHeight: boolean;
}

/** A byte string that was handed in. */
export interface Submitted {
  readonly rollup: RollupId;
  readonly data: string;
  /** The sequencer refuses it, or another one of its bundle. */
  readonly isBad: boolean;
  readonly bundle?: SubmittedBundle;
  acknowledged: boolean;
}

/** An atomic bundle that was handed in. */
export interface SubmittedBundle {
  readonly id: string;
  readonly entries: readonly Submitted[];
}

export interface OutcomeRecord {
  readonly seed: number;
  readonly faults: Faults;
  readonly submitted: readonly Submitted[];
  readonly bundles: readonly SubmittedBundle[];
  readonly sequencer: ModelSequencer;
  /** How often the journal recorded data as refused or sequenced, by hash. */
  readonly refused: ReadonlyMap<string, number>;
  readonly sequenced: ReadonlyMap<string, number>;
  /** All acknowledged data was settled in time. */
  readonly isSettled: boolean;
  readonly tookMs: number;
  readonly left: { readonly chunks: number; readonly done: number; readonly bundles: number; readonly items: number };
  readonly composer: Composer;
}

/** Runs a composer against a model sequencer, in simulated time, with faults. The same seed gives the same run. */
export async function simulate(seed: number): Promise<OutcomeRecord> {
  const random = seededRandom(seed);
  const chance = (probability: number): boolean => random() < probability;
  const faults: Faults = {
    crashes: chance(0.6),
    sequencerRestarts: chance(0.4),
    lostRequests: chance(0.4),
    lostAnswers: chance(0.4),
    evictions: chance(0.3),
    intruder: chance(0.4),
    dryAccount: chance(0.3),
    poison: chance(0.3),
    failures: chance(0.05),
    moods: chance(0.2),
    otherFeeAssets: chance(0.3),
    nodes: chance(0.5) ? 1 : 2 + Math.floor(random() * 2),
    lateNodes: chance(0.6),
    gossip: chance(0.5),
    repeats: chance(0.5),
    claimsHeight: chance(0.4),
    bundles: chance(0.7),
  };
  const time = new SimulatedTime();
  const chain = new ModelChain();
  const nodes = Array.from({ length: faults.nodes }, () => new ModelSequencer(() => time.now(), chain));
  const anyNode = (): ModelSequencer => nodes[Math.floor(random() * nodes.length)] ?? sequencer;
  const [sequencer = new ModelSequencer(() => time.now(), chain)] = nodes;
  const refused = new Map<string, number>();
  const sequenced = new Map<string, number>();
  const disk = new SimulatedDisk(time, random, countOutcomes);
  const submitted: Submitted[] = [];
  const bundles: SubmittedBundle[] = [];
  const isFaulty = (): boolean => time.now() < FAULTS_END_MS;
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    failure ??= { error };
  };

  /** While every reachable node is late, nothing is promised. */
  const notTaken = (error: unknown): void => {
    if (!(error instanceof Refusing)) fail(error);
  };

  function countOutcomes({ kind, id, value }: Change): void {
    if (kind !== 'outcome' || value === undefined) return;
    const { outcome, hashes } = decodeOutcome(id, value);
    const counts = outcome.kind === 'refused' ? refused : sequenced;
    for (let at = 0; at < hashes.length; at += 32) {
      const hash = toHex(hashes.subarray(at, at + 32));
      counts.set(hash, (counts.get(hash) ?? 0) + 1);
    }
  }

  /** One process. */
  async function start(signal: AbortSignal): Promise<Composer> {
    const payer = {
      signer: alice,
      prefix: 'astria',
      chainId: 'sim',
      feeAsset: parseDenom(faults.otherFeeAssets && chance(0.5) ? 'ntia' : 'nria'),
      address: formatAddress(alice.account),
    };
    const composer = await createComposer(
      {
        maxBytesPerBundle: BUNDLE_BYTES,
        intervalMs: 10,
        maxInFlight: 4,
        maxItems: 1_000,
        maxBytes: 100_000,
        maxItemBytes: longestItem(BUNDLE_BYTES, payer),
        keptOutcomes: 10_000,
        copiesWindowMs: 3_600_000,
      },
      {
        journal: createJournal(disk.open()),
        sequencer: several(signal),
        payer,
        log: silentLogger,
        clock: time,
        random,
        wall: time,
        onFailure: fail,
      },
    );
    if (!signal.aborted) composer.submitter.run(signal).catch(fail);
    return composer;
  }

  /** A process's view of its configured nodes. */
  function several(signal: AbortSignal): Sequencer {
    const [first = link(sequencer, signal), ...others] = nodes.map((node) => link(node, signal));
    if (others.length === 0) return first;
    const all = [first, ...others].map((client, index) => ({ url: `node ${index}`, client }));
    const endpoints = new Endpoints(all, { maxLag: 3n, badForMs: 60_000, clock: time, log: silentLogger });
    const sequencers = severalSequencers(endpoints, { chainId: 'sim', clock: time });
    sequencers.watch(signal).catch(fail);
    return sequencers;
  }

  /** Nodes gossip a transaction that one of them has accepted, after a while or never. */
  function gossip(bytes: Uint8Array, from: ModelSequencer): void {
    for (const node of nodes) {
      if (node === from || (isFaulty() && chance(0.3))) continue;
      time.after(random() * 100, () => {
        if (!node.isAway) node.broadcast(bytes);
      });
    }
  }

  /** The network between a process and a node of the sequencer. Nothing reaches a process that is dead; its messages still arrive. */
  function link(sequencer: ModelSequencer, dead: AbortSignal): SequencerNode {
    const call = <T>(deliver: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        const fails = (): void => {
          if (!dead.aborted) reject(new Error('no answer'));
        };
        if (isFaulty() && faults.lostRequests && chance(0.15)) {
          time.after(random() * 100, fails);
          // Late, after its caller has given up.
          if (chance(0.5)) time.after(random() * 1_500, () => attempt(deliver));
          return;
        }
        time.after(random() * 5, () => {
          if (sequencer.isAway) return fails();
          let answer: T;
          try {
            answer = deliver();
          } catch {
            return fails();
          }
          const isLost = isFaulty() && faults.lostAnswers && chance(0.15);
          time.after(random() * (isLost ? 100 : 5), () => {
            if (isLost) fails();
            else if (!dead.aborted) resolve(answer);
          });
        });
      });
    return {
      chainId: () => call(() => 'sim'),
      height: () => call(() => sequencer.height),
      commit: (height) => call(() => sequencer.commit(height)),
      validators: () => call(() => HEADERS.validators),
      broadcast: (bytes) =>
        call(() => {
          const checked = sequencer.broadcast(bytes);
          if (faults.gossip && checked.code === 0) gossip(bytes, sequencer);
          return checked;
        }),
      settled(bundles) {
        const candidates = new Map(bundles.map((each) => [each.nonce, each.candidates.map(({ hash }) => hash)]));
        return call(() =>
          sequencer.settled([...candidates.keys()], (nonce, hash) => candidates.get(nonce)?.includes(hash) === true),
        );
      },
      balance: () => call(() => (sequencer.isFunded ? 1_000_000n : 0n)),
      feeRate: () => call(() => ({ base: 1n, perByte: 1n })),
    };
  }

  let life = new AbortController();
  let composer: Composer | undefined;
  const boot = (): void => {
    life = new AbortController();
    composer = undefined;
    const { signal } = life;
    start(signal).then((started) => {
      if (!signal.aborted) composer = started;
    }, fail);
  };
  const crash = (): void => {
    if (life.signal.aborted) return;
    life.abort(new Error('killed'));
    disk.crash();
    time.after(random() * 200, boot);
  };

  /** Something that happens again and again while there are faults. */
  const again = (everyMs: number, happen: () => void): void => {
    time.after(random() * 2 * everyMs, () => {
      if (!isFaulty()) return;
      happen();
      again(everyMs, happen);
    });
  };
  const away = (): void => {
    const node = anyNode();
    node.isAway = true;
    // With others next to it, it may only be out of reach, and come back with its memory.
    if (nodes.length === 1 || chance(0.5)) node.restart();
    time.after(random() * (nodes.length === 1 ? 300 : 1_200), () => {
      node.isAway = false;
    });
  };
  const late = (): void => {
    const node = anyNode();
    node.isLate = true;
    time.after(random() * 1_500, () => {
      node.isLate = false;
    });
  };
  const lie = (): void => {
    const node = anyNode();
    node.isLying = true;
    time.after(random() * 1_500, () => {
      node.isLying = false;
    });
  };
  const mood = (): void => {
    const node = anyNode();
    node.isMoody = true;
    time.after(random() * 200, () => {
      node.isMoody = false;
    });
  };
  const dry = (): void => {
    sequencer.isFunded = false;
    time.after(random() * 800, () => {
      sequencer.isFunded = true;
    });
  };
  let made = 0;
  const make = (longest: number): Uint8Array => {
    const bytes = new Uint8Array(4 + Math.floor(random() * longest));
    made += 1;
    new DataView(bytes.buffer).setUint32(0, made);
    if (faults.poison && chance(0.05)) bytes[0] = REFUSED_ON_ARRIVAL;
    else if (faults.failures && chance(0.01)) bytes[0] = FAILS_IN_A_BLOCK;
    return bytes;
  };
  const anyRollup = (): RollupId => (chance(0.5) ? ROLLUPS[0] : ROLLUPS[1]);
  const submit = (): void => {
    if (composer === undefined) return;
    if (faults.bundles && chance(0.6)) submitBundle(composer);
    else submitAlone(composer);
  };
  const submitAlone = ({ intake }: Composer): void => {
    const { signal } = life;
    const rollup = anyRollup();
    const batch = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
      const bytes = make(80);
      submitted.push({ rollup, data: toHex(bytes), isBad: bytes[0] !== 0, acknowledged: false });
      return bytes;
    });
    const mine = submitted.slice(-batch.length);
    intake.accept(rollup, batch, chance(0.5) ? {} : undefined).then(() => {
      if (!signal.aborted) for (const each of mine) each.acknowledged = true;
    }, notTaken);
  };

  const submitBundle = ({ intake }: Composer): void => {
    const drawn = Array.from({ length: 1 + Math.floor(random() * 5) }, () => ({ rollup: anyRollup(), data: make(40) }));
    const isBad = drawn.some(({ data }) => data[0] !== 0);
    const id = getGroup(drawn, () => undefined).hash;
    const entries: Submitted[] = [];
    const bundle = { id, entries };
    for (const { rollup, data } of drawn) {
      entries.push({ rollup, data: toHex(data), isBad, bundle, acknowledged: false });
    }
    submitted.push(...entries);
    bundles.push(bundle);
    handIn(intake, bundle, chance(0.5) ? {} : undefined);
  };
  const handIn = (intake: Intake, { entries }: SubmittedBundle, copies: CopyRule | undefined): void => {
    const { signal } = life;
    const group = entries.map(({ rollup, data }) => ({ rollup, data: Buffer.from(data, 'hex') }));
    intake.acceptGroup(group, copies).then(() => {
      if (!signal.aborted) for (const each of entries) each.acknowledged = true;
    }, notTaken);
  };

  const repeat = (): void => {
    const earlier = submitted[Math.floor(random() * submitted.length)];
    if (composer === undefined || earlier === undefined || earlier.isBad) return;
    const { bundle, rollup, data } = earlier;
    if (bundle !== undefined) {
      handIn(composer.intake, bundle, {});
      return;
    }
    const { signal } = life;
    composer.intake.accept(rollup, [Buffer.from(data, 'hex')], {}).then(() => {
      if (!signal.aborted) earlier.acknowledged = true;
    }, notTaken);
  };

  boot();
  again(80, submit);
  if (faults.repeats) again(60, repeat);
  if (faults.poison && chance(0.5)) {
    for (const node of nodes) {
      node.isStrict = false;
      time.after(random() * FAULTS_END_MS, () => {
        node.isStrict = true;
        if (chance(nodes.length === 1 ? 0.7 : 0.3)) node.restart();
      });
    }
  }
  if (faults.evictions) for (const node of nodes) node.capacity = 2 + Math.floor(random() * 4);
  if (faults.moods) again(300, mood);
  if (faults.claimsHeight) again(800, lie);
  if (faults.crashes) again(500, crash);
  if (faults.sequencerRestarts) again(900, away);
  if (faults.evictions) again(200, () => anyNode().evict(random, chance(0.7)));
  if (faults.intruder) again(250, () => anyNode().intrude(Math.floor(random() * 3)));
  if (faults.dryAccount) again(1_500, dry);
  if (faults.lateNodes && nodes.length > 1) again(700, late);
  const blocks = (): void => {
    const awake = nodes.filter((node) => !node.isLate && (nodes.length === 1 || !node.isAway));
    awake[Math.floor(random() * awake.length)]?.makeBlock(1 + Math.floor(random() * 4));
    for (const node of awake) time.after(random() * 30, () => !node.isLate && node.follow());
    time.after(20 + random() * 150, blocks);
  };
  blocks();

  await time.run(FAULTS_END_MS, () => failure !== undefined);
  const ordered = new Set<string>();
  let counted = 0;
  const isSettled = (): boolean => {
    for (; counted < sequencer.ordered.length; counted += 1) ordered.add(sequencer.ordered[counted]?.data ?? '');
    return (
      composer !== undefined &&
      composer.backlog.count === 0 &&
      composer.submitter.inFlight.length === 0 &&
      submitted.every(({ acknowledged, data }) => !acknowledged || ordered.has(data) || refused.has(getHash(data)))
    );
  };
  await time.run(FAULTS_END_MS + GRACE_MS, () => failure !== undefined || isSettled());
  const tookMs = time.now() - FAULTS_END_MS;
  const done = isSettled();
  // Pending writes have to be on disk before the journal is looked at.
  await time.run(time.now() + 100);
  life.abort(new Error('the end'));
  if (failure !== undefined) throw failure.error;
  if (composer === undefined) throw new Error('the composer did not start');
  const left = {
    chunks: disk.count('chunk'),
    done: disk.count('done'),
    bundles: disk.count('bundle'),
    items: composer.backlog.count,
  };
  return { seed, faults, submitted, bundles, sequencer, refused, sequenced, isSettled: done, tookMs, left, composer };
}

/** SHA-256 of data in hex. */
export const getHash = (data: string): string => sha256Hex(Buffer.from(data, 'hex'));

/** For calls whose result is not awaited. */
function attempt(deliver: () => unknown): void {
  try {
    deliver();
  } catch {
    // A refusal of the model that is not reported.
  }
}
