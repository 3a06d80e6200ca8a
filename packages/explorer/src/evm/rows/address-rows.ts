import { insert } from '../../store/statements.ts';
import type { Statement, Value } from '../../store/store.ts';
import type { EvmBlock, EvmTransaction } from '../evm-block.ts';

/** Changes to the row of one address. */
interface Changes {
  readonly first: number;
  last: number;
  transactions: number;
  internal: number;
  transfers: number;
  deposits: number;
  creator: string | null;
  creation: string | null;
}

/** Rows of the participants in transactions, calls within them that moved value, token transfers and deposits. */
export function addressRows(key: string, blocks: readonly EvmBlock[]): Statement[] {
  const addresses = new Map<string, Changes>();
  const find = (address: string, number: number): Changes => {
    const known = addresses.get(address);
    if (known !== undefined) {
      known.last = number;
      return known;
    }
    const none = { transactions: 0, internal: 0, transfers: 0, deposits: 0, creator: null, creation: null };
    const changes = { first: number, last: number, ...none };
    addresses.set(address, changes);
    return changes;
  };
  const transactions: Value[][] = [];
  const calls: Value[][] = [];
  const callsOf: Value[][] = [];
  const transfers: Value[][] = [];
  const deposits: Value[][] = [];
  for (const { number, transactions: list, deposits: credited } of blocks) {
    let firstLog = 0;
    for (const [position, transaction] of list.entries()) {
      for (const address of parties(transaction)) {
        find(address, number).transactions += 1;
        transactions.push([key, address, number, position]);
      }
      for (const [contract, creator] of creations(transaction)) {
        Object.assign(find(contract, number), { creator, creation: transaction.hash });
      }
      for (const [ordinal, call] of (transaction.internal ?? []).entries()) {
        calls.push([key, number, position, ordinal, call.kind, call.from, call.to, String(call.value), call.depth]);
        for (const address of new Set([call.from, call.to])) {
          find(address, number).internal += 1;
          callsOf.push([key, address, number, position, ordinal]);
        }
      }
      for (const { from, to, log, item } of transaction.transfers) {
        for (const address of new Set([from, to])) {
          find(address, number).transfers += 1;
          transfers.push([key, address, number, firstLog + log, item]);
        }
      }
      firstLog += transaction.logs.length;
    }
    for (const [ordinal, { address, gwei }] of credited.entries()) {
      find(address, number).deposits += 1;
      deposits.push([key, number, ordinal, address, String(gwei * WEI_PER_GWEI)]);
    }
  }
  return [
    ...addressStatements(key, addresses),
    ...insert('evm_address_transactions', ['rollup', 'address', 'number', 'position'], transactions),
    ...insert('evm_internal', CALL_COLUMNS, calls),
    ...insert('evm_address_internal', ['rollup', 'address', 'number', 'position', 'ordinal'], callsOf),
    ...insert('evm_address_transfers', ['rollup', 'address', 'number', 'log', 'item'], transfers),
    ...insert('evm_deposits', ['rollup', 'number', 'ordinal', 'address', 'amount'], deposits),
  ];
}

const WEI_PER_GWEI = 1_000_000_000n;
const CALL_COLUMNS = ['rollup', 'number', 'position', 'ordinal', 'kind', 'sender', 'recipient', 'value', 'depth'];
const ADDED = ['transactions', 'internal_calls', 'transfers', 'deposits'];

function addressStatements(key: string, addresses: ReadonlyMap<string, Changes>): Statement[] {
  const columns = ['rollup', 'address', 'first_number', 'last_number', ...ADDED, 'creator', 'creation'];
  const added = ADDED.map((name) => `${name} = evm_addresses.${name} + excluded.${name}`).join(', ');
  // Another contract may be made if one was destroyed.
  const made = ['creator', 'creation'].map((name) => `${name} = COALESCE(excluded.${name}, evm_addresses.${name})`);
  return insert(
    'evm_addresses',
    columns,
    [...addresses].map(([address, each]) => [
      ...[key, address, each.first, each.last, each.transactions, each.internal, each.transfers, each.deposits],
      ...[each.creator, each.creation],
    ]),
    `ON CONFLICT (rollup, address) DO UPDATE SET last_number = excluded.last_number, ${added}, ${made.join(', ')}`,
  );
}

function parties({ from, to, created }: EvmTransaction): ReadonlySet<string> {
  return new Set([from, to, created].filter((each) => each !== undefined));
}

/** Contracts that the transaction made, each with who made it. */
function creations({ status, from, created, internal = [] }: EvmTransaction): [contract: string, creator: string][] {
  return [
    ...(status === 1 && created !== undefined ? [[created, from] as [string, string]] : []),
    ...internal.filter(({ kind }) => kind.startsWith('create')).map((each): [string, string] => [each.to, each.from]),
  ];
}
