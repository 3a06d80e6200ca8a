import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@switchyard/service/failure';
import { sequencerPeer } from '@switchyard/stack';
import { ACCOUNT_KEY, makeTestnet, type Testnet } from '../../dev/comet/testnet.ts';
import { parseJson, readText } from '../../dev/files/files.ts';
import { parseToml, valueAt } from '../../dev/files/toml.ts';
import { validatorPublicKeyIn } from '../../dev/init/validator.ts';

/** Settings that the user chose; an absent one is that of the existing network, if it is there, else the usual. */
export interface AskedNetwork {
  readonly name: string;
  readonly namespace: string;
  readonly validators?: number;
  readonly fullNodes?: number;
  readonly chainId?: string | undefined;
  readonly nativeDenom?: string | undefined;
  readonly blockIntervalMs?: number | undefined;
  readonly accounts?: NonNullable<Exclude<Testnet['accounts'], 'published'>> | undefined;
  readonly sudo?: string | undefined;
}

const SETTINGS = 'network.json';
const USUAL = { validators: 4, fullNodes: 0, nativeDenom: 'ntia', blockIntervalMs: 1_000 } as const;

/**
 * Reads the files of a network, its keys and genesis, or makes them if the directory is not there.
 *
 * @param directory Absolute.
 * @throws {Failure} if it was made with other settings than the requested ones, or lacks something.
 */
export function networkFiles(directory: string, wanted: AskedNetwork) {
  const isNew = !existsSync(directory) || readdirSync(directory).length === 0;
  if (isNew) make(directory, wanted);
  else checkSettings(directory, wanted);
  const names = readdirSync(directory)
    .filter((name) => /^node-\d+$/.test(name))
    .sort((a, b) => Number(a.slice(5)) - Number(b.slice(5)));
  const texts = names.map((name) => {
    const read = (file: string) => readText(join(directory, name, 'cometbft', 'config', file));
    return {
      ...{ name, genesis: read('genesis.json'), config: read('config.toml') },
      ...{ nodeKey: read('node_key.json'), validatorKey: read('priv_validator_key.json') },
    };
  });
  const genesis = texts[0]?.genesis ?? '';
  const parsed = parseJson(genesis, join(directory, 'node-0', 'cometbft', 'config', 'genesis.json'));
  const validators = JSON.stringify(valueAt(parsed, ['validators']) ?? []);
  const nodes = texts.map((node) => {
    const where = join(directory, node.name);
    if (node.genesis !== genesis) throw new Failure(`${where}: expected the genesis of node-0, got another one`);
    checkPeers(node.config, join(where, 'cometbft', 'config', 'config.toml'), wanted, names.length);
    const { config, nodeKey, validatorKey } = node;
    return {
      config,
      nodeKey,
      validatorKey,
      isValidator: validators.includes(validatorPublicKeyIn(validatorKey, where)),
    };
  });
  const text = (...path: string[]) => String(valueAt(parsed, path) ?? '');
  const accountKeyFile = join(directory, ACCOUNT_KEY);
  return {
    ...{ genesis, nodes, isNew },
    chainId: text('chain_id'),
    nativeDenom: text('app_state', 'native_asset_base_denomination'),
    // Absent if other accounts than a new one hold the funds.
    ...(existsSync(accountKeyFile) ? { accountKeyFile } : {}),
  };
}

function make(directory: string, wanted: AskedNetwork): void {
  const { name, accounts = [], sudo, chainId = `switchyard-${name}` } = wanted;
  const { validators = USUAL.validators, fullNodes = USUAL.fullNodes } = wanted;
  const { nativeDenom = USUAL.nativeDenom, blockIntervalMs = USUAL.blockIntervalMs } = wanted;
  makeTestnet({
    ...{ output: directory, validators, fullNodes, chainId, nativeDenom, blockIntervalMs, accounts, sudo },
    hosts: Array.from({ length: validators + fullNodes }, (_, index) => sequencerPeer(wanted, index)),
    // Both listen on all addresses of their own pod.
    ...{ listen: '0.0.0.0', metricsListen: '0.0.0.0' },
    beside: () => ({}),
    shared: {
      [SETTINGS]: settingsText({ ...wanted, ...{ validators, fullNodes, chainId, nativeDenom, blockIntervalMs } }),
      'README.md': README,
    },
  });
}

const README = `# Keys and genesis of a sequencer network in a cluster

\`switchyard sequencer deployment create\` made this directory, and reads it whenever it installs, repairs or upgrades the network.
Keep it, and keep it secret: it holds the keys of all validators. \`network.json\` is what the network was made with, \`relayer.json\` what its blocks
are posted to, and \`relayer_key\` the key with which a relayer pays on the local layer. In
\`node-*/cometbft/config/config.toml\` settings of CometBFT may be changed; the same command applies them.
`;

const settingsText = ({ accounts, ...rest }: AskedNetwork) =>
  `${JSON.stringify({ ...rest, ...(accounts === undefined ? {} : { accounts: accountsText(accounts) }) }, null, 2)}\n`;

const accountsText = (accounts: NonNullable<AskedNetwork['accounts']>) =>
  accounts.map(({ address, amount }) => `${address}=${amount}`).join(' ');

/** Option of each setting, for messages. */
const OPTIONS: Readonly<Record<keyof AskedNetwork, string>> = {
  ...{ name: '--name', namespace: '--namespace', validators: '--validators', fullNodes: '--full-nodes' },
  ...{ chainId: '--chain-id', nativeDenom: '--native-denom', blockIntervalMs: '--block-interval' },
  ...{ accounts: '--account', sudo: '--sudo' },
};

function checkSettings(directory: string, wanted: AskedNetwork): void {
  const path = join(directory, SETTINGS);
  if (!existsSync(path))
    throw new Failure(`--files: ${directory} is not empty, and no network was made there: name a new directory`);
  const made = parseJson(readText(path), path);
  const wrong = Object.entries(JSON.parse(settingsText(wanted))).flatMap(([key, value]) => {
    const was = valueAt(made, [key]);
    // Keys of the record above.
    const option = OPTIONS[key as keyof AskedNetwork];
    return was === value
      ? []
      : [`${option}: the network in ${directory} was made with ${was ?? 'none'}, got ${String(value)}`];
  });
  if (wrong.length > 0)
    throw new Failure(`${wrong.join('\n')}\nleave the option out, or name another directory with --files`);
}

/** Peers are named as the pods are. */
function checkPeers(config: string, path: string, wanted: AskedNetwork, count: number): void {
  const peers = String(valueAt(parseToml(config, path), ['p2p', 'persistent_peers']) ?? '');
  const named = Array.from({ length: count }, (_, index) => sequencerPeer(wanted, index)).filter((host) =>
    peers.includes(`@${host}:`),
  );
  if (named.length < count - 1)
    throw new Failure(
      `${path}: p2p.persistent_peers: expected the other ${count - 1} nodes, got ${named.length} of them`,
    );
}
