import { ALICE, BOB, ENVIRONMENT, stateWith } from '@switchyard/evm-machine/testing';
import { hexToBytes } from '@switchyard/protocol/ethereum';
import { OF_A_CALL } from '../simulate/checks.ts';
import { applyMessage } from '../simulate/message.ts';
import { machineOn, makeMessage } from '../simulate/testing.ts';
import { timeBudget } from '../simulate/time-budget.ts';
import type { Attack } from './attacks.ts';

/** Fork of new chains, and of the geth that it is compared with: a contract's cost in gas differs between forks. */
const FORK = 'osaka';

/** Sender of the call, and the contract that is called. */
export const [ATTACKER, ATTACKED] = [ALICE, BOB];
/** Balance of the contract, in wei. */
export const ATTACKED_BALANCE = 10n ** 18n;

export interface AttackCost {
  /** Before anything is given back. */
  readonly gas: bigint;
  /** CPU time of this process. */
  readonly cpuSeconds: number;
}

/** Runs it as `eth_call` would, on a state in memory. @throws {TimedOut} */
export async function runAttack(
  { code, data, others }: Attack,
  gasLimit: bigint,
  timeoutMs: number,
): Promise<AttackCost> {
  const accounts = Object.entries(others).map(([address, each]) => [address, { code: each }] as const);
  const machine = await machineOn(
    stateWith({ ...Object.fromEntries(accounts), [ATTACKED]: { code, balance: ATTACKED_BALANCE } }),
    timeBudget(timeoutMs),
  );
  const message = makeMessage({ from: ATTACKER, to: ATTACKED, data: hexToBytes(data), gasLimit });
  const before = process.cpuUsage();
  const { gasPeak } = applyMessage({ ...machine, fork: FORK, block: { ...ENVIRONMENT, gasLimit } }, message, OF_A_CALL);
  const { user, system } = process.cpuUsage(before);
  return { gas: gasPeak, cpuSeconds: (user + system) / 1e6 };
}

/** Enough for the engine to compile the code of an attack, little enough to be soon over. */
export const WARM_UP_GAS = 2_500_000n;
