/* Names that every rollup has already. A test compares them with the routes of a node and the keys of a genesis file. */

/** First steps of routes below `/v1`, and names of their operations: no query has them. */
const QUERIES = new Set([
  'asyncapi',
  ...['block', 'blocks', 'bridges', 'definition', 'deposits', 'document', 'events', 'genesis', 'nonce'],
  ...['nonces', 'openapi', 'state', 'status', 'streams', 'tables', 'transaction', 'transactions', 'withdrawals'],
]);

/** Members of the genesis of every rollup. */
const GENESIS = new Set([
  ...['rollupName', 'rollup', 'chainId', 'sequencerGenesisBlockHeight', 'sequencerChainId', 'daGenesisBlockHeight'],
  ...['daBlockVariance', 'celestiaGenesisBlockHeight', 'celestiaBlockVariance', 'canonicalTransactions', 'signatures'],
  ...['bridgeAccounts', 'withdrawals', 'failedDeposits', 'upgradeAuthority', 'stateRoot', 'definition'],
]);

/** Tables of the actions that definitions may take. */
const TABLES = new Set(['announcedUpgrade']);

export const RESERVED = { query: QUERIES, member: GENESIS, table: TABLES } as const;

const OWNERS: Readonly<Record<keyof typeof RESERVED, string>> = {
  query: 'a route of every rollup',
  member: 'a member of the genesis of every rollup',
  table: 'a table of the framework',
};

/** @throws {Error} naming the taken one. */
export function mustBeFree(what: keyof typeof RESERVED, names: readonly string[]): void {
  const taken = names.find((name) => RESERVED[what].has(name));
  if (taken === undefined) return;
  throw new Error(`${what} "${taken}": is ${OWNERS[what]}: choose another name`);
}
