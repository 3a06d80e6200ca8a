import { isAbsolute } from 'node:path';
import { fields } from '@switchyard/conductor/config';
import { parseCelestiaAddress } from '@switchyard/protocol/celestia/address';
import { tried } from '@switchyard/service/failure';
import { isLoopbackHost } from '@switchyard/service/input';
import { didYouMean } from '@switchyard/service/settings';
import type { TableReader } from './table-reader.ts';

export const LAYER_KEY = 'data_availability';

/** The keys of that table, and the settings of the conductor that they state. */
export const LAYER_SETTINGS = {
  /** JSON-RPC of a light node. */
  node_url: 'celestiaNodeHttpUrl',
  chain_id: 'expectedCelestiaChainId',
  /** A block that is known to be right; absent only if the node is on this machine. */
  trusted_height: 'celestiaTrustedHeight',
  trusted_hash: 'celestiaTrustedHash',
  /** File with the token that the node asks for; only the conductor reads the token itself. */
  token_file: 'celestiaTokenFile',
  /** Accounts whose blobs alone are read; absent: all are. */
  authors: 'celestiaAuthors',
} as const;
type Key = keyof typeof LAYER_SETTINGS;
const KEYS = Object.keys(LAYER_SETTINGS);

/** The data-availability layer that a network's conductors read firm blocks from, if it runs elsewhere. */
export type NetworkLayer = { readonly [K in Key]?: string };

const MAX_AUTHORS = 100;

/** Reads the layer of a network whose table names one; `undefined` if its table cannot be used, which is noted. */
export function readLayer(network: TableReader): NetworkLayer | undefined {
  const table = network.inner(LAYER_KEY, `a table with ${KEYS.join(', ')}`);
  if (table === undefined) return undefined;
  table.only(KEYS, (key) =>
    // Its value may be a secret.
    /token|secret/.test(key)
      ? ': a token stands in a file of mode 600 that token_file names'
      : didYouMean(key, KEYS) || `; it has ${KEYS.join(', ')}`,
  );
  for (const key of ['node_url', 'chain_id'] as const) {
    if (!table.has(key)) table.wrong(key, `expected ${fields[LAYER_SETTINGS[key]].parser.expects}, got nothing`);
  }
  const text = (key: Key): string | undefined => {
    const { parser } = fields[LAYER_SETTINGS[key]];
    const value = table.has(key) ? table.scalar(key)?.trim() : undefined;
    if (value === undefined || (value !== '' && parses(() => parser.fromText(value)))) return value;
    return table.wrong(key, `expected ${parser.expects}, got ${JSON.stringify(value.slice(0, 80))}`);
  };
  const keys = ['node_url', 'chain_id', 'trusted_height', 'trusted_hash'] as const;
  const layer = Object.fromEntries(keys.map((key) => [key, text(key)]));
  const tokenFile = table.text('token_file', '').trim();
  if (tokenFile !== '' && !isAbsolute(tokenFile)) {
    table.wrong(
      'token_file',
      `expected an absolute path, or a path that begins with ~ or $SWITCHYARD_INSTANCE, got ${JSON.stringify(tokenFile)}`,
    );
  }
  const authors = table.has('authors') ? authorsIn(table) : undefined;
  return {
    ...layer,
    ...(tokenFile === '' ? {} : { token_file: tokenFile }),
    ...(authors === undefined ? {} : { authors }),
  };
}

const parses = (parse: () => unknown) => tried(Error, false, () => parse() !== undefined);

const isCelestiaAddress = (text: string): boolean => parses(() => parseCelestiaAddress(text));

/** Whether the conductor believes a layer about its first block. */
export function isOnThisMachine(url: string): boolean {
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
}

function authorsIn(table: TableReader): string | undefined {
  const { authors } = table.table;
  const list: unknown[] = Array.isArray(authors) && authors.length <= MAX_AUTHORS ? authors : [authors];
  const bad = list.find((each) => typeof each !== 'string' || !isCelestiaAddress(each));
  if (bad === undefined) return list.length === 0 ? undefined : list.join(',');
  const got = JSON.stringify(bad).slice(0, 80);
  return table.wrong('authors', `expected a list of at most ${MAX_AUTHORS} accounts celestia1..., got ${got}`);
}
