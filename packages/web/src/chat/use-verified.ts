import type { Account } from '@switchyard/messenger/client';
import { useEffect, useState } from 'react';
import type { findAccount, NodeStatus } from './api.ts';
import type { Message } from './conversation.ts';
import type { Verdict } from './verify/verdict.ts';

/** Own messages that are checked, the newest first. */
const MAX_CHECKED = 20;

const checks = () => import('./verify/check.ts');

/**
 * The verdict about what the node shows of an account: checked again when it shows something else, and while it is not verified.
 *
 * @param block Changes with each block.
 */
export function useVerifiedAccount(
  address: string | undefined,
  account: Awaited<ReturnType<typeof findAccount>> | undefined,
  status: NodeStatus | undefined,
  block: unknown,
): Verdict | undefined {
  const [checked, setChecked] = useState<{ readonly facts: string; readonly verdict: Verdict }>();
  const [turn, setTurn] = useState(0);
  const facts = address !== undefined && account !== undefined ? factsOf(address, account) : undefined;
  const isDone = checked?.facts === facts && checked?.verdict.kind === 'verified';
  const isKnown = status !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each block is a reason to check again an unverified account
  useEffect(() => {
    if (address === undefined || account === undefined || facts === undefined || status === undefined || isDone) return;
    let isOver = false;
    checks()
      .then(({ checkAccount }) => checkAccount(account.shown, address, status))
      .then(
        (verdict) => !isOver && setChecked({ facts, verdict }),
        () => undefined,
      );
    return () => {
      isOver = true;
    };
  }, [address, account, isDone, isKnown, turn, block]);
  const verdict = checked?.facts === facts ? checked?.verdict : undefined;
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
  [address, nonce, ...balances.map(({ asset, amount }) => `${asset} ${amount}`)].join('\n');

/** Verdicts about own messages by hash. @param turn Changes with each block. */
export function useVerifiedMessages(
  messages: readonly Message[],
  address: string | undefined,
  status: NodeStatus | undefined,
  turn: unknown,
): ReadonlyMap<string, Verdict> {
  const [verdicts, setVerdicts] = useState<ReadonlyMap<string, Verdict>>(new Map());
  const own = messages.filter((one) => one.address === address && one.hash !== undefined).slice(-MAX_CHECKED);
  const open = own.filter(({ hash = '' }) => verdicts.get(hash)?.kind !== 'verified');
  const key = open.map(({ hash }) => hash).join();
  const isKnown = status?.explorer !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: unverified messages are checked again with each block
  useEffect(() => {
    if (key === '' || status?.explorer === undefined) return;
    let isOver = false;
    const check = async () => {
      const { checkMessage } = await checks();
      for (const message of open.toReversed()) {
        const verdict = await checkMessage(message, status);
        if (isOver) return;
        setVerdicts((before) => new Map([...before, [message.hash ?? '', verdict]]));
      }
    };
    check().catch(() => undefined);
    return () => {
      isOver = true;
    };
  }, [key, isKnown, turn]);
  return verdicts;
}
