import type { Account } from '@switchyard/messenger/client';
import { useEffect, useState } from 'react';
import type { findAccount, NodeStatus } from './api.ts';
import type { Message } from './conversation.ts';
import type { Verdict } from './verify/verdict.ts';

/** Own messages that are checked, the newest first. */
const MAX_CHECKED = 20;

type Check = (checks: typeof import('./verify/check.ts')) => Promise<Verdict>;
type Verdicts = ReadonlyMap<string, Verdict>;

/** Verdicts by the keys of checks, which are made one after another, and again with each block until something is verified. */
function useVerdicts(wanted: ReadonlyMap<string, Check>, block: unknown): Verdicts {
  const [verdicts, setVerdicts] = useState<Verdicts>(new Map());
  const open = [...wanted].filter(([key]) => verdicts.get(key)?.kind !== 'verified');
  const keys = open.map(([key]) => key).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the checks are those of the keys
  useEffect(() => {
    if (keys === '') return;
    let isOver = false;
    const run = async () => {
      const checks = await import('./verify/check.ts');
      for (const [key, check] of open) {
        const verdict = await check(checks);
        if (isOver) return;
        setVerdicts((before) => new Map([...before, [key, verdict]]));
      }
    };
    run().catch(() => undefined);
    return () => {
      isOver = true;
    };
  }, [keys, block]);
  return verdicts;
}

/** The verdict about what the node shows of an account. @param block Changes with each block. */
export function useVerifiedAccount(
  address: string | undefined,
  account: Awaited<ReturnType<typeof findAccount>> | undefined,
  status: NodeStatus | undefined,
  block: unknown,
): Verdict | undefined {
  const [turn, setTurn] = useState(0);
  const facts = address !== undefined && account !== undefined ? factsOf(address, account) : '';
  const wanted = new Map<string, Check>();
  if (address !== undefined && account !== undefined && status !== undefined)
    wanted.set(facts, ({ checkAccount }) => checkAccount(account.shown, address, status));
  const verdict = useVerdicts(wanted, `${block} ${turn}`).get(facts);
  if (verdict?.kind !== 'unproven' || verdict.trust === undefined) return verdict;
  const { trust } = verdict;
  // Checked again at once, not with the next block.
  const trustAndCheck = () => {
    trust();
    setTurn((before) => before + 1);
  };
  return { ...verdict, trust: trustAndCheck };
}

const factsOf = (address: string, { nonce, balances }: Account): string =>
  [address, nonce, ...balances.map(({ asset, amount }) => `${asset} ${amount}`)].join();

/** Verdicts about own messages by hash. @param block Changes with each block. */
export function useVerifiedMessages(
  messages: readonly Message[],
  address: string | undefined,
  status: NodeStatus | undefined,
  block: unknown,
): Verdicts {
  const own = messages.filter((one) => one.address === address && one.hash !== undefined).slice(-MAX_CHECKED);
  const wanted = new Map<string, Check>();
  if (status?.explorer !== undefined)
    for (const message of own.toReversed())
      wanted.set(message.hash ?? '', ({ checkMessage }) => checkMessage(message, status));
  return useVerdicts(wanted, block);
}
