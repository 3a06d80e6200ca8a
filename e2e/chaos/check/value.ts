import type { History } from '../history.ts';
import type { Observed, Violation } from './observed.ts';

type Seen = Pick<Observed, 'executions' | 'deposits' | 'depositUnit' | 'depositAsset' | 'balances' | 'totals'>;

/** Every account of the load holds the sum of its own transactions and deposits, and the totals agree. */
export function checkValue({ sent, funded }: History, seen: Seen): Violation[] {
  const expected = new Map<string, bigint>();
  const key = (address: string, asset: string): string => `${address} ${asset}`;
  const add = (address: string, asset: string, amount: bigint): void => {
    expected.set(key(address, asset), (expected.get(key(address, asset)) ?? 0n) + amount);
  };
  const feeAsset = new Map(funded.map(({ address, asset }) => [address, asset]));
  for (const { address, asset, amount } of funded) add(address, asset, amount);
  const executed = seen.executions.filter(({ outcome }) => outcome === 'executed');
  for (const { id, fee } of executed) {
    const transaction = sent.get(id);
    // A transaction that no client sent is a violation of its own.
    if (transaction === undefined) continue;
    const { from, intent } = transaction;
    add(from, feeAsset.get(from) ?? '', -fee);
    if (intent.kind !== 'transfer') continue;
    add(from, intent.asset, -BigInt(intent.amount));
    add(intent.to, intent.asset, BigInt(intent.amount));
  }
  for (const { id, intent } of sent.values()) {
    if (intent.kind !== 'deposit' || !seen.deposits.has(id)) continue;
    add(intent.to, seen.depositAsset, BigInt(intent.amount) * seen.depositUnit);
  }

  const held = new Map(seen.balances.map(({ address, asset, amount }) => [key(address, asset), amount]));
  const found: Violation[] = [];
  for (const account of new Set([...expected.keys(), ...held.keys()])) {
    const [want, got] = [expected.get(account) ?? 0n, held.get(account) ?? 0n];
    if (want !== got) found.push({ check: 'balance', detail: `${account}: expected ${want}, holds ${got}` });
  }
  for (const { name, expected: want, actual } of seen.totals) {
    if (want !== actual) found.push({ check: 'total', detail: `${name}: expected ${want}, is ${actual}` });
  }
  return found;
}
