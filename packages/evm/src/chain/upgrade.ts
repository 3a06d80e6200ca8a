import type { Address } from '@switchyard/evm-machine/types';
import { InvalidConfig } from '@switchyard/service';
import { type ForkSchedule, findTime, PLANNED_FORKS, type PlannedFork } from '../rules/forks.ts';
import { REQUEST_CONTRACTS } from '../rules/system-contracts.ts';

/** Seconds at which forks after Cancun begin, those alone that are planned. */
export type ForkTimes = ReadonlyMap<PlannedFork, bigint>;

/** Fork times as the database has them: `prague=1&osaka=`, with nothing if a fork is not planned. */
export function encodeForkTimes(forks: ForkSchedule): Uint8Array {
  return Buffer.from(PLANNED_FORKS.map((name) => `${name}=${findTime(forks, name) ?? ''}`).join('&'));
}

export function forkTimes(row: Uint8Array): ForkTimes {
  const times = new URLSearchParams(Buffer.from(row).toString());
  return new Map(
    PLANNED_FORKS.flatMap((name) => {
      const time = times.get(name) ?? '';
      return time === '' ? [] : [[name, BigInt(time)] as const];
    }),
  );
}

/** Facts that decide whether an upgrade can still be planned. */
export interface UpgradeContext {
  /** Timestamp of the newest block, in seconds. */
  readonly timestamp: bigint;
  /** Whether an account has code after that block; undefined if that is not known. */
  readonly hasCode: ((address: Address) => boolean) | undefined;
}

/**
 * Whether the genesis file plans other times than the chain has had so far.
 *
 * @throws {InvalidConfig} if an existing block would change, or a fork could have none.
 */
export function rescheduled(kept: ForkTimes, forks: ForkSchedule, { timestamp, hasCode }: UpgradeContext): boolean {
  const changed = PLANNED_FORKS.filter((name) => kept.get(name) !== findTime(forks, name));
  for (const name of changed) {
    const [before, after] = [kept.get(name), findTime(forks, name)];
    if (before !== undefined && before <= timestamp)
      throw invalid(name, `${before}, since blocks with these rules exist`, after, 'put the old time back');
    if (after !== undefined && after <= timestamp)
      throw invalid(
        name,
        `a time after the newest block, ${timestamp}, or ${before === undefined ? 'none' : before}`,
        after,
        'choose a time that every node of this chain has in its genesis file before it comes',
      );
  }
  // Planned forks may be put off, also if that is to deploy the contracts.
  for (const name of ['prague', 'amsterdam'] as const)
    if (kept.get(name) === undefined && findTime(forks, name) !== undefined) expectContracts(name, hasCode);
  return changed.length > 0;
}

function expectContracts(fork: 'prague' | 'amsterdam', hasCode: UpgradeContext['hasCode']): void {
  if (hasCode === undefined) return;
  for (const { since, address } of REQUEST_CONTRACTS) {
    if (since !== fork || hasCode(address)) continue;
    throw new InvalidConfig({
      variable: 'SVC_EVM_GENESIS_FILEPATH',
      expected: `the contract ${address} on the chain before config.${fork}Time is planned: without it no block of ${fork === 'prague' ? 'Prague' : 'Amsterdam'} is valid`,
      got: 'none',
      advice:
        'leave the time out, deploy it with the transaction of its EIP (see docs/how-to/upgrade-an-evm-chain.md), and add the time then',
    });
  }
}

function invalid(name: PlannedFork, expected: string, got: bigint | undefined, advice: string): InvalidConfig {
  return new InvalidConfig({
    variable: 'SVC_EVM_GENESIS_FILEPATH',
    expected: `config.${name}Time: ${expected}`,
    got: got === undefined ? 'nothing' : String(got),
    advice,
  });
}
