import { stringify } from 'smol-toml';
import { setJsonValue } from '../files/json-edit.ts';
import { isTable, parseToml, valueAt } from '../files/toml.ts';

/** One account in the genesis of a Celestia network. */
export interface Funded {
  readonly address: string;
  readonly utia: bigint;
}

/** The genesis with these accounts in place of those that it has, which are none in one that was just made. @throws {Failure} */
export function withAccounts(genesis: string, file: string, accounts: readonly Funded[]): string {
  const known = accounts.map(({ address }) => ({
    '@type': '/cosmos.auth.v1beta1.BaseAccount',
    address,
    pub_key: null,
    account_number: '0',
    sequence: '0',
  }));
  const balances = accounts.map(({ address, utia }) => ({ address, coins: [{ denom: 'utia', amount: `${utia}` }] }));
  const first = setJsonValue(genesis, file, ['app_state', 'auth', 'accounts'], known);
  return setJsonValue(first, file, ['app_state', 'bank', 'balances'], balances);
}

/** The genesis in which this transaction makes the one validator. @throws {Failure} */
export function withValidator(genesis: string, file: string, transaction: unknown): string {
  return setJsonValue(genesis, file, ['app_state', 'genutil', 'gen_txs'], [transaction]);
}

/**
 * The `config.toml` of a celestia-node that other nodes reach at this address alone, and that tells them so although it is one of
 * this machine.
 *
 * @throws {Failure}
 */
export function withPeerAddress(config: string, file: string, address: string): string {
  const table = parseToml(config, file);
  const p2p = valueAt(table, ['P2P']);
  const changed = { ...(isTable(p2p) ? p2p : {}), ListenAddresses: [address], NoAnnounceAddresses: [] };
  return stringify({ ...table, P2P: changed });
}
