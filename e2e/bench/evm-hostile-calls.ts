import { randomBytes } from 'node:crypto';
import { ATTACKED, ATTACKED_BALANCE, ATTACKER, ATTACKS, type Attack } from '@switchyard/evm/testing';
import type { Endpoint } from './evm-load.ts';

/** Low, so that thousands are soon over, and their left-overs show rather than their use while they run. */
const GAS = 1_000_000;
const LANES = 16;

/**
 * Sends this many calls, each of which runs until its gas is gone: one attack after another, with code that no call before it
 * had, so that nothing kept for one code serves the next.
 */
export function hostileCalls(node: Endpoint): (count: number) => Promise<void> {
  let next = 0;
  return async (count) => {
    const end = next + count;
    const lane = async () => {
      while (next < end) {
        const body = getCall(next);
        next += 1;
        await node.post(body);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  };
}

function getCall(id: number): string {
  const attack = ATTACKS[id % ATTACKS.length];
  if (attack === undefined) throw new Error('there are no attacks');
  // After the end of the running one.
  const code: Attack['code'] = `${attack.code}00${randomBytes(16).toString('hex')}`;
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_call', params: attackParams({ ...attack, code }, GAS) });
}

/** Parameters of `eth_call`: the attack is in the state of this call alone. */
export function attackParams({ code, data, others }: Attack, gas: bigint | number): readonly unknown[] {
  const overrides = {
    [ATTACKED]: { code, balance: `0x${ATTACKED_BALANCE.toString(16)}` },
    ...Object.fromEntries(Object.entries(others).map(([address, each]) => [address, { code: each }])),
  };
  return [{ from: ATTACKER, to: ATTACKED, data, gas: `0x${gas.toString(16)}` }, 'latest', overrides];
}
