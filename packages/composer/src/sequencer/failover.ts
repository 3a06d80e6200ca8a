/** Several nodes of one sequencer, used as one: nothing is concluded from the answers of a late one. */
import { type Endpoint, type Endpoints, ProvenHeights, verdictOf } from '@switchyard/client';
import { Rejected } from '@switchyard/protocol';
import { type Clock, errorLine, sleep } from '@switchyard/service';
import type { Checked, Sequencer, SequencerNode } from './sequencer.ts';

export interface SeveralOptions {
  readonly chainId: string;
  readonly clock: Clock;
}

export interface SeveralSequencers extends Sequencer {
  /** Keeps asking all of them how far they are, until the signal aborts. */
  watch(signal: AbortSignal): Promise<void>;
}

/** A node has not executed yet the blocks of another one. */
class Late extends Error {
  override readonly name = 'Late';
}

const LOOK_EVERY_MS = 2_000;
/** Longest wait for slow ones before the first is chosen. */
const FIRST_LOOK_MS = 1_000;
/** A node that has not answered for this long is taken to have lost its mempool. */
const SILENT_MS = 60_000;
const NOT_NOW = 11;

/**
 * A committed block settles a nonce, and blocks of one chain only add to each other. So from any node, the
 * nonces that it reports as spent are spent; unreported ones may be, too. Therefore no answer is taken
 * from a state before the newest proved one, and a transaction counts as refused when no node takes it. A
 * height that a node cannot prove counts for nothing: otherwise one wrong number would make all others look late.
 */
export function severalSequencers(
  endpoints: Endpoints<SequencerNode>,
  { chainId: expected, clock }: SeveralOptions,
): SeveralSequencers {
  type Node = Endpoint<SequencerNode>;
  const known = new Set<Node>();
  const strangers = new Map<Node, string>();
  const silentSince = new Map<Node, number>();
  let used: Node | undefined;
  const proofs = new ProvenHeights<Node>({ chainId: expected, clock });

  const look = async (node: Node, signal: AbortSignal): Promise<void> => {
    let claimed: bigint;
    try {
      claimed = await node.client.height(signal);
    } catch (error) {
      if (!signal.aborted) endpoints.reportFailure(node, errorLine(error));
      return;
    }
    try {
      endpoints.reportHeight(node, await proofs.prove(node, node.client, claimed, signal));
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Rejected) endpoints.reportFault(node, `it claims height ${claimed}: ${errorLine(error)}`);
      else endpoints.reportHeight(node);
    }
  };

  /** The node in use. Throws once if it has changed, since the mempool has changed too. */
  const choose = async (signal: AbortSignal): Promise<Node> => {
    const before = used;
    if (before === undefined) {
      const looks = Promise.all(endpoints.all.map((node) => look(node, signal)));
      await Promise.race([looks, sleep(FIRST_LOOK_MS, signal, clock)]);
    } else if (before === endpoints.current) return before;
    used = endpoints.current;
    if (before !== undefined) throw new Error(`left ${before.url} for ${used.url}`);
    return used;
  };

  const checkChain = async (node: Node, signal: AbortSignal): Promise<void> => {
    if (known.has(node)) return;
    const chainId = await node.client.chainId(signal);
    if (chainId === expected) {
      known.add(node);
      strangers.delete(node);
      return;
    }
    strangers.set(node, chainId);
    endpoints.reportFault(node, `it runs chain ${chainId}, expected ${expected}`);
    throw new Error(`${node.url} runs chain ${chainId}, expected ${expected}`);
  };

  const call = async <T>(ask: (node: Node) => Promise<T>, signal: AbortSignal): Promise<T> => {
    const node = await choose(signal);
    try {
      await checkChain(node, signal);
      return await ask(node);
    } catch (error) {
      // A late node catches up, or is left when it is too far behind the others.
      if (signal.aborted || error instanceof Late) throw error;
      if (error instanceof Rejected) endpoints.reportFault(node, errorLine(error));
      else endpoints.reportFailure(node, errorLine(error));
      throw error;
    }
  };

  /** Account queries of a node that lags behind the newest proved state are not used. */
  const checkHeight = async (claimed: bigint, node: Node, signal: AbortSignal): Promise<void> => {
    const height = await proofs.prove(node, node.client, claimed, signal);
    endpoints.reportHeight(node, height);
    if (height < proofs.highest) throw new Late(`${node.url} is at height ${height}, and ${proofs.highest} was seen`);
  };

  /** Asks the others: one of them may have it in its mempool, where it can still be executed. */
  const secondOpinion = async (
    first: Node,
    refusal: Checked,
    transaction: Uint8Array,
    signal: AbortSignal,
  ): Promise<Checked> => {
    await checkHeight(await first.client.height(signal), first, signal);
    for (const node of endpoints.all) {
      if (node === first || strangers.has(node)) continue;
      try {
        await checkChain(node, signal);
        const checked = await node.client.broadcast(transaction, signal);
        silentSince.delete(node);
        const verdict = verdictOf(checked.code);
        if (verdict !== 'refused' && verdict !== 'unconfirmed') return checked;
      } catch (error) {
        signal.throwIfAborted();
        const since = silentSince.get(node) ?? clock.now();
        silentSince.set(node, since);
        if (clock.now() - since >= SILENT_MS) continue;
        return { code: NOT_NOW, log: `${node.url} cannot be queried yet: ${errorLine(error)}` };
      }
    }
    return refusal;
  };

  return {
    async chainId(signal) {
      try {
        await call(async () => undefined, signal);
        return expected;
      } catch (error) {
        const [any] = strangers.values();
        if (any !== undefined && strangers.size === endpoints.all.length) return any;
        throw error;
      }
    },
    settled: (bundles, signal) =>
      call(async (node) => {
        const settled = await node.client.settled(bundles, signal);
        await checkHeight(settled.height, node, signal);
        return settled;
      }, signal),
    broadcast: (transaction, signal) =>
      call(async (node) => {
        const checked = await node.client.broadcast(transaction, signal);
        const verdict = verdictOf(checked.code);
        if (verdict !== 'refused' && verdict !== 'unconfirmed') return checked;
        return secondOpinion(node, checked, transaction, signal);
      }, signal),
    balance: (signal) => call((node) => node.client.balance(signal), signal),
    feeRate: (signal) => call((node) => node.client.feeRate(signal), signal),
    async watch(signal) {
      while (!signal.aborted) {
        await sleep(LOOK_EVERY_MS, signal, clock).catch(() => undefined);
        if (!signal.aborted) await Promise.all(endpoints.all.map((node) => look(node, signal)));
      }
    },
  };
}
