import { isAbsolute } from 'node:path';
import { fields } from '@switchyard/conductor/config';
import { parseCelestiaAddress } from '@switchyard/protocol/celestia/address';
import { isLoopbackHost } from '@switchyard/service/input';
import { didYouMean } from '@switchyard/service/settings';
import { type Problems, tried } from '../../failure.ts';
import { isTable, placeIn } from '../files/toml.ts';

/** The data-availability layer that a network's conductors read firm blocks from, if it runs elsewhere. */
export interface NetworkLayer {
  /** JSON-RPC of a light node. */
  readonly nodeUrl: string;
  readonly chainId: string;
  /** A block that is known to be right; absent only if the node is on this machine. */
  readonly trusted?: { readonly height: string; readonly hash: string };
  /** File with the token that the node asks for; only the conductor reads the token itself. */
  readonly tokenFile?: string;
  /** Accounts whose blobs alone are read; absent: all are. */
  readonly authors?: string;
}

/** Its table in the block of a network. */
export const LAYER_KEY = 'data_availability';

const KEYS = ['node_url', 'chain_id', 'trusted_height', 'trusted_hash', 'token_file', 'authors'] as const;
type Key = (typeof KEYS)[number];

/** Fields of the conductor, whose rules hold for these keys. */
const FIELDS = {
  node_url: fields.celestiaNodeHttpUrl,
  chain_id: fields.expectedCelestiaChainId,
  trusted_height: fields.celestiaTrustedHeight,
  trusted_hash: fields.celestiaTrustedHash,
} as const;

const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 80);
const MAX_AUTHORS = 100;

/**
 * @param expand A text with its variables replaced.
 * @param at Place of the table in its file, for people.
 */
export function readLayer(
  table: unknown,
  at: string,
  path: string,
  problems: Problems,
  expand: (text: string, where: string) => string | undefined,
): NetworkLayer | undefined {
  if (table === undefined) return undefined;
  if (!isTable(table)) {
    problems.add(path, `${at}: expected a table with ${KEYS.join(', ')}`);
    return undefined;
  }
  const wrong = (key: string, what: string) => problems.add(placeIn(path, `${at}.${key}`), `${at}.${key}: ${what}`);
  for (const key of Object.keys(table).filter((name) => !KEYS.some((known) => known === name))) {
    // Its value may be a secret.
    const hint = /token|secret/.test(key)
      ? ': a token stands in a file of mode 600 that token_file names'
      : didYouMean(key, KEYS) || `; it has ${KEYS.join(', ')}`;
    wrong(key, `no such key${hint}`);
  }
  const text = (key: Key): string | undefined => {
    const value = table[key];
    if (value === undefined) return undefined;
    const isWhole = typeof value === 'number' || typeof value === 'bigint';
    if (typeof value !== 'string' && !(key === 'trusted_height' && isWhole)) {
      wrong(key, `expected a text, got ${shown(value)}`);
      return undefined;
    }
    return expand(String(value), `${path}: ${at}.${key}`)?.trim();
  };
  const checked = (key: keyof typeof FIELDS): string | undefined => {
    const value = text(key);
    if (value === undefined) return undefined;
    const { parser } = FIELDS[key];
    if (value !== '' && parses(() => parser.fromText(value))) return value;
    wrong(key, `expected ${parser.expects}, got ${shown(value)}`);
    return undefined;
  };

  for (const key of ['node_url', 'chain_id'] as const) {
    if (table[key] === undefined) wrong(key, `expected ${FIELDS[key].parser.expects}, got nothing`);
  }
  const nodeUrl = checked('node_url');
  const chainId = checked('chain_id');
  const trusted = { height: checked('trusted_height'), hash: checked('trusted_hash') };
  checkTrusted(table, nodeUrl, wrong);
  const tokenFile = text('token_file') || undefined;
  if (tokenFile !== undefined && !isAbsolute(tokenFile)) {
    wrong(
      'token_file',
      `expected an absolute path, or a path that begins with ~ or $SWITCHYARD_INSTANCE, got ${shown(tokenFile)}`,
    );
  }
  const authors = findAuthors(table.authors, wrong);
  if (nodeUrl === undefined || chainId === undefined) return undefined;
  return {
    nodeUrl,
    chainId,
    ...(trusted.height === undefined || trusted.hash === undefined
      ? {}
      : { trusted: { height: trusted.height, hash: trusted.hash } }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(authors === undefined ? {} : { authors }),
  };
}

const parses = (parse: () => unknown) => tried(Error, false, () => parse() !== undefined);

type Wrong = (key: string, what: string) => void;

/** A node elsewhere is believed in nothing, so there has to be a block to begin with. */
function checkTrusted(table: { readonly [key: string]: unknown }, nodeUrl: string | undefined, wrong: Wrong): void {
  const [height, hash] = [table.trusted_height, table.trusted_hash];
  const source = 'take height and hash of a recent block from a source that you trust';
  if ((height === undefined) !== (hash === undefined)) {
    const [absent, present] =
      height === undefined ? ['trusted_height', 'trusted_hash'] : ['trusted_hash', 'trusted_height'];
    wrong(absent, `expected together with ${present}, got nothing: ${source}`);
  } else if (height === undefined && nodeUrl !== undefined && !isOnThisMachine(nodeUrl)) {
    wrong(
      'trusted_height',
      `expected with trusted_hash for a node that is not on this machine, got nothing: ${source}`,
    );
  }
}

export const isCelestiaAddress = (text: string): boolean => parses(() => parseCelestiaAddress(text));

/** Whether the conductor believes a layer about its first block. */
export function isOnThisMachine(url: string): boolean {
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
}

function findAuthors(value: unknown, wrong: Wrong): string | undefined {
  if (value === undefined) return undefined;
  const expected = `a list of at most ${MAX_AUTHORS} accounts celestia1...`;
  if (!Array.isArray(value) || value.length > MAX_AUTHORS) {
    wrong('authors', `expected ${expected}, got ${shown(value)}`);
    return undefined;
  }
  const bad: unknown = value.find((each) => typeof each !== 'string' || !isCelestiaAddress(each));
  if (bad !== undefined) wrong('authors', `expected ${expected}, got ${shown(bad)}`);
  return value.length === 0 ? undefined : value.join(',');
}
