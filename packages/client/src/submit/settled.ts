import { Code, ConnectError } from '@connectrpc/connect';
import type { TxHash } from '@switchyard/protocol';
import { type BlockReader, findInBlocks } from '../sequencer/find-in-blocks.ts';
import type { SequencerClient } from '../sequencer/sequencer.ts';

/** A nonce of an account, with everything that was signed under it: at most one of these transactions can execute. */
export interface SignedNonce {
  readonly nonce: number;
  readonly candidates: readonly { readonly hash: TxHash }[];
}

/** Transaction that used a nonce: one of ours, or a foreign one. */
export type Spender = { readonly transaction: TxHash; readonly height: bigint } | 'foreign';

export interface Settled {
  /** Transactions of the account that are executed; the next free nonce. */
  readonly accountNonce: number;
  readonly height: bigint;
  /** For the requested nonces of which it is certain. */
  readonly spenders: ReadonlyMap<number, Spender>;
}

/** Part of a sequencer client that the search needs. */
export type SettledSource = Pick<SequencerClient, 'nonceSpender' | 'nonce' | 'tx'> & BlockReader;

/** Blocks after which a spent nonce whose transaction is not found counts as used by a foreign one. */
const CERTAIN_AFTER_BLOCKS = 3n;
/** More than there are nonces under way. */
const KEPT_HEIGHTS = 1_000;

/** Finds out, call by call, which transactions have used the nonces of an account that are ours to fill. */
export function settledSearch(client: SettledSource, address: string) {
  const firstMissed = new Map<number, bigint>();
  /** The newest height at which the account had a nonce, for each nonce that this process has seen. */
  const seenAt = new Map<number, bigint>();
  let hasNodeService = true;

  /** A height at which a nonce was free; undefined if this process has not seen it free. */
  const freeAt = (nonce: number) => Array.from(seenAt).findLast(([seen]) => seen <= nonce)?.[1];

  /** One committed snapshot shows which transaction spent each nonce. */
  const ask = async (signed: readonly SignedNonce[], signal: AbortSignal): Promise<Settled> => {
    const nonces = signed.map(({ nonce }) => nonce);
    const { accountNonce, height, spenders } = await client.nonceSpender(address, nonces, signal);
    const found = new Map<number, Spender>();
    for (const { nonce, hash, height: at } of spenders) {
      const own = signed.find((each) => each.nonce === nonce)?.candidates.some((each) => each.hash === hash);
      found.set(nonce, own === true ? { transaction: hash, height: at } : 'foreign');
    }
    return { accountNonce, height, spenders: found };
  };

  /**
   * A sequencer without our service: looks for every candidate, in the node's index and then in the blocks since the nonce was
   * seen free. If it was not, a nonce counts as used by a foreign transaction after some blocks without an index entry.
   */
  const searched = async (signed: readonly SignedNonce[], signal: AbortSignal): Promise<Settled> => {
    const { nonce: accountNonce, height } = await client.nonce(address, signal);
    seenAt.set(accountNonce, height);
    for (const seen of seenAt.keys()) if (seenAt.size > KEPT_HEIGHTS) seenAt.delete(seen);
    const found = new Map<number, Spender>();
    for (const { nonce, candidates } of signed) {
      if (nonce >= accountNonce) continue;
      const free = freeAt(nonce);
      for (const { hash } of candidates) {
        const indexed = await client.tx(hash, signal);
        // The index may have the copy that failed, and lack the executed one.
        const isKnown = indexed?.code === 0 || free === undefined;
        const result = isKnown ? indexed : await findInBlocks(client, hash, { from: free + 1n, to: height }, signal);
        if (result?.code === 0) found.set(nonce, { transaction: hash, height: result.height });
      }
      const since = firstMissed.get(nonce) ?? height;
      firstMissed.set(nonce, since);
      if (!found.has(nonce) && height >= since + CERTAIN_AFTER_BLOCKS) found.set(nonce, 'foreign');
      if (found.has(nonce)) firstMissed.delete(nonce);
    }
    return { accountNonce, height, spenders: found };
  };

  return async (signed: readonly SignedNonce[], signal: AbortSignal): Promise<Settled> => {
    if (!hasNodeService) return searched(signed, signal);
    try {
      return await ask(signed, signal);
    } catch (error) {
      if (!(error instanceof ConnectError) || error.code !== Code.Unimplemented) throw error;
      hasNodeService = false;
      return searched(signed, signal);
    }
  };
}
