import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { WallClock } from '@switchyard/service';
import { serverError } from '../json/errors.ts';
import { transactionCheck } from '../pool/check.ts';
import { bySender } from '../pool/create-pool.ts';
import { findOutcome } from '../pool/embedded-chain.ts';
import { type Pool, type PoolTransaction, statusOfOutcome, type TransactionStatus } from '../pool/pool.ts';
import type { Activity } from './activity/activity.ts';
import type { StandaloneNode } from './node.ts';
import type { Waiting } from './situation.ts';

const MAX_WAITING = 10_000;

export interface StandalonePool extends Pool {
  pendingNonce(account: Address): Promise<bigint>;
  /** @returns false if it does not wait. */
  drop(hash: Hash): Promise<boolean>;
}

/**
 * The pool of a standalone node. Unlike the pool of a rollup it promises nothing and keeps nothing on disk, since there
 * is no composer that could have a transaction already; one replaces another of the same nonce at any price.
 */
export function standalonePool(
  node: StandaloneNode,
  wall: WallClock,
  activity?: Pick<Activity, 'method'>,
): StandalonePool {
  const { chain } = node;
  const listeners = new Set<(transaction: PoolTransaction) => void>();
  const sent = (): readonly PoolTransaction[] => node.executable.map((each) => ({ ...each, state: 'sent' as const }));
  const all = (): readonly PoolTransaction[] => {
    const now = new Map(sent().map((each) => [each.hash, each]));
    return node.situation.waiting.map((each) => now.get(each.hash) ?? { ...each, state: 'held' as const });
  };
  const nextNonce = (account: Address): bigint => {
    const own = node.executable.filter(({ from }) => from === account);
    return node.getNonce(account) + BigInt(own.length);
  };
  const listed = (state: PoolTransaction['state'], limit: number) =>
    bySender(
      all()
        .filter((each) => each.state === state)
        .slice(0, limit),
    );

  /** @throws {JsonRpcError} in go-ethereum's words, on which libraries match. */
  const admit = (raw: Uint8Array): Waiting => {
    const { fork, maxCodeBytes } = node;
    const { gasLimit: blockGas } = node.situation;
    const tx = transactionCheck(
      () => ({ chainId: chain.chainId, gasLimit: blockGas, fork, maxCodeBytes }),
      (each) => node.senders.of(each),
    )(raw);
    const { hash, from, nonce, gasLimit, maxFeePerGas, value } = tx;
    const account = chain.state(chain.heads.latest).account(from);
    const { nonce: next = 0n, balance = 0n } = account ?? {};
    if (node.situation.waiting.some((each) => each.hash === hash)) throw serverError('already known');
    if (nonce < next) throw serverError(`nonce too low: next nonce ${next}, tx nonce ${nonce}`);
    if (maxFeePerGas < node.baseFee)
      throw serverError(
        `max fee per gas less than block base fee: address ${from}, maxFeePerGas: ${maxFeePerGas}, baseFee: ${node.baseFee}`,
      );
    const cost = gasLimit * maxFeePerGas + value;
    if (balance < cost)
      throw serverError(`insufficient funds for gas * price + value: address ${from} have ${balance} want ${cost}`);
    return { hash, from, nonce, raw, receivedAt: wall.unixMs(), method: activity?.method };
  };

  const send = async (raw: Uint8Array): Promise<Hash> => {
    const entry = admit(raw);
    const others = node.situation.waiting.filter(({ from, nonce }) => from !== entry.from || nonce !== entry.nonce);
    if (others.length >= MAX_WAITING) throw serverError(`txpool is full: ${MAX_WAITING} transactions wait`);
    node.change({ waiting: [...others, entry] });
    for (const listener of listeners) listener({ ...entry, state: 'sent' });
    if (!node.automine) return entry.hash;
    const { refused } = await node.mineOne();
    const why = refused.find(({ hash }) => hash === entry.hash);
    if (why !== undefined && !node.situation.waiting.includes(entry)) throw serverError(why.reason);
    return entry.hash;
  };

  return {
    send: (raw) => node.exclusive(() => send(raw)),
    get: (hash) => all().find((each) => each.hash === hash),
    async status(hash): Promise<TransactionStatus> {
      const outcome = findOutcome(chain, hash);
      if (outcome !== undefined) return statusOfOutcome(outcome);
      const waits = all().find((each) => each.hash === hash);
      if (waits === undefined) return { status: 'unknown' };
      return waits.state === 'sent' ? { status: 'queued' } : { status: 'held', missing: nextNonce(waits.from) };
    },
    nextNonce,
    pendingNonce: async (account) => nextNonce(account),
    get counts() {
      const ready = node.executable.length;
      return { sent: ready, held: node.situation.waiting.length - ready };
    },
    ofSender: (account) => all().filter(({ from }) => from === account),
    content: (limit = MAX_WAITING) => ({ pending: listed('sent', limit), queued: listed('held', limit) }),
    pending: (limit) => sent().slice(0, limit),
    onPending(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    drop: (hash) =>
      node.exclusive(() => {
        const { waiting } = node.situation;
        const rest = waiting.filter((each) => each.hash !== hash);
        node.change({ waiting: rest });
        return rest.length < waiting.length;
      }),
  };
}
