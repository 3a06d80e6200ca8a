import type { Plain } from './document.ts';

type Section = { readonly [key: string]: Plain };

/** A manifest in the spelling of today, and all differences to the file. */
export interface Translated {
  readonly value: Plain;
  readonly notes: readonly string[];
}

/** Keys of earlier manifests, and their present places. */
const MOVED: Readonly<Record<string, string>> = {
  namespace: 'global.namespace',
  'config.useTTY': 'global.useTTY',
  'config.logLevel': 'global.logLevel',
  'config.rollup.genesis.alloc': 'config.rollup.genesisAccounts',
  'config.rollup.genesis.bridgeAddress': 'config.rollup.bridgeAddress',
  'config.rollup.genesis.bridgeAllowedAssetDenom': 'config.rollup.bridgeAsset',
  'celestia-node.config.labelPrefix': 'da-node.config.labelPrefix',
  explorer: 'explorer.kind',
};

interface Dropped {
  readonly why: string;
  /** Option and variable of `config create` in the reference. */
  readonly names?: readonly [option: string, variable: string];
}

/** Keys of earlier manifests that have no meaning here. */
export const DROPPED: Readonly<Record<string, Dropped>> = {
  'config.rollup.skipEmptyBlocks': {
    why: 'every sequencer block makes a rollup block',
    names: ['--rollup.skip-empty-blocks', 'ROLLUP_SKIP_EMPTY_BLOCKS'],
  },
  'config.rollup.genesis.overrideGenesisExtraData': {
    why: 'the extra data of blocks is not configured',
    names: ['--rollup.override-genesis-extra-data', 'ROLLUP_OVERRIDE_GENESIS_EXTRA_DATA'],
  },
  'celestia-node.enabled': {
    why: 'it switched a program of the reference; see da-node.kind',
    names: ['--celestia-node.enabled', 'ROLLUP_ENABLE_CELESTIA_NODE'],
  },
  'celestia.fullNodeUrl': { why: 'it was the address of a program of the reference' },
  'resources.geth': { why: 'it was for a program of the reference; see resources.evm' },
};

/** Keys of `genesis` that only manifests had in which the name was the rollup's name on the sequencer too. */
const OF_NAMED_ROLLUPS = ['overrideGenesisExtraData', 'bridgeAllowedAssetDenom'];

/** Reads the spellings of the reference's manifests. A value that both spellings have is left for the reader to refuse. */
export function translated(written: Plain): Translated {
  if (!isSection(written)) return { value: written, notes: [] };
  const notes: string[] = [];
  let value: Section = written;
  const genesis = at(written, 'config.rollup.genesis');
  if (
    isSection(genesis) &&
    OF_NAMED_ROLLUPS.some((key) => Object.hasOwn(genesis, key)) &&
    at(written, 'config.rollup.chainId') === undefined
  ) {
    const name = at(written, 'config.rollup.name');
    if (typeof name === 'string' && name !== '') {
      value = put(value, 'config.rollup.chainId', name);
      notes.push(
        `config.rollup.chainId is ${JSON.stringify(name.slice(0, 80))}, as in the manifests that had no such key`,
      );
    }
  }
  for (const [from, to] of Object.entries(MOVED)) {
    const moved = at(value, from);
    // A section of today has the name that was a value's once.
    if (moved === undefined || (from === 'explorer' && isSection(moved)) || at(value, to) !== undefined) continue;
    value = put(without(value, from), to, from.endsWith('.alloc') ? getBalances(moved) : moved);
    notes.push(`${from} is read as ${to}`);
  }
  for (const [key, { why }] of Object.entries(DROPPED)) {
    if (at(value, key) === undefined) continue;
    value = without(value, key);
    notes.push(`${key} is left out: ${why}`);
  }
  for (const workload of ['composer', 'conductor']) {
    const old = at(value, `resources.${workload}`);
    if (!isSection(old) || !('requests' in old || 'limits' in old)) continue;
    value = without(value, `resources.${workload}`);
    notes.push(`resources.${workload} is left out: it was for a program of the reference`);
  }
  return { value, notes };
}

/** `{address, value: {balance}}` as `{address, balance}`. */
function getBalances(accounts: Plain): Plain {
  if (!isList(accounts)) return accounts;
  return accounts.map((account) => {
    if (!isSection(account)) return account;
    const { value, ...rest } = account;
    return isSection(value) ? { ...rest, ...value } : account;
  });
}

const isList = (value: Plain | undefined): value is readonly Plain[] => Array.isArray(value);

function isSection(value: Plain | undefined): value is Section {
  return typeof value === 'object' && !isList(value);
}

function at(value: Plain, path: string): Plain | undefined {
  let found: Plain | undefined = value;
  for (const key of path.split('.')) found = isSection(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}

function put(section: Section, path: string, value: Plain): Section {
  const [key = '', ...rest] = path.split('.');
  const below = section[key];
  return { ...section, [key]: rest.length === 0 ? value : put(isSection(below) ? below : {}, rest.join('.'), value) };
}

/** Sections that become empty by it go too. */
function without(section: Section, path: string): Section {
  const [key = '', ...rest] = path.split('.');
  const below = section[key];
  const { [key]: _, ...others } = section;
  if (rest.length === 0 || !isSection(below)) return others;
  const left = without(below, rest.join('.'));
  return Object.keys(left).length === 0 ? others : { ...section, [key]: left };
}
