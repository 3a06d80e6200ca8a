import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { sequencerBalances } from '@switchyard/network/accounts';
import { type ChainGenesis, chainGenesisFile, validatorKeyFile } from '@switchyard/network/genesis';
import { createSigner, formatAddress, toHex } from '@switchyard/protocol';
import { wallDate } from '@switchyard/service';
import { Failure, usage } from '@switchyard/service/failure';
import { nodePorts } from '@switchyard/stack/ports';
import { settingsFor } from '@switchyard/stack/process';
import { PROGRAMS } from '@switchyard/stack/programs';
import { settingsIn } from '@switchyard/stack/values';
import { makeDirectory, systemReason } from '../files/files.ts';
import { validatorPublicKeyIn } from '../init/validator.ts';
import { cometConfigFile, FIRST_SIGN_STATE } from './config-file.ts';
import { nodeIdIn, nodeKeyFile } from './node-key.ts';
import { type Described, nodeReadme } from './testnet-readme.ts';

/** A network whose nodes run on machines of their own. */
export interface Testnet {
  /** Absolute; must not be there yet, or be empty. */
  readonly output: string;
  readonly validators: number;
  readonly fullNodes: number;
  /** One for each node, validators first; empty: `node-0`, `node-1` and so on. */
  readonly hosts: readonly string[];
  readonly chainId: string;
  readonly nativeDenom: string;
  /** Addresses of RPC and gRPC of each node. */
  readonly listen: string;
  readonly blockIntervalMs: number;
  /** First balances; `published`: those of the development accounts; empty: one new account holds all. */
  readonly accounts: NonNullable<ChainGenesis['accounts']> | 'published';
  readonly sudo?: string | undefined;
  /** Listener of the metrics. */
  readonly metricsListen: string;
  /** Files in addition to those of CometBFT in the directory of a node, by file name; and alongside the directories. */
  beside(node: NewNode): Readonly<Record<string, string>>;
  readonly shared?: Readonly<Record<string, string>>;
}

export type MadeTestnet = Readonly<ReturnType<typeof makeTestnet>>;

/** Balance of the one account of a network without named accounts. */
const ALL_FUNDS = 10_000_000_000_000_000_000n;

/**
 * Writes a directory for each node, ready to be copied to its machine: home of CometBFT, settings of the sequencer, and
 * how to start the two. Each has only its own keys.
 *
 * @throws {Failure} before anything is at its place.
 */
export function makeTestnet(testnet: Testnet, now = wallDate()) {
  const { output, validators, fullNodes } = testnet;
  const hosts = getHosts(testnet);
  if (existsSync(output) && readdirSync(output).length > 0)
    throw usage(`--output: ${output} is not empty: name a directory that is, or a new one`);
  const nodes = hosts.map((host, index) => {
    const [nodeKey, validatorKey] = [nodeKeyFile(), validatorKeyFile()];
    const nodeId = nodeIdIn(nodeKey, 'node_key.json');
    return { name: `node-${index}`, host, isValidator: index < validators, nodeKey, validatorKey, nodeId };
  });
  const key = testnet.accounts.length === 0 ? randomBytes(32) : undefined;
  const account = key && formatAddress(createSigner(key).account, 'astria');
  const genesis = getGenesis(testnet, account, nodes, now);
  const peers = nodes.map(({ nodeId, host }) => `${nodeId}@${inUrl(host)}:${P2P}`);
  makeDirectory(dirname(output));
  let work: string | undefined;
  try {
    work = mkdtempSync(join(dirname(output), '.testnet-'));
    for (const [index, node] of nodes.entries()) {
      const directory = join(work, node.name);
      const others = peers.filter((_, other) => other !== index);
      writeNode(directory, node, testnet, genesis, others);
    }
    if (key !== undefined) writeFileSync(join(work, ACCOUNT_KEY), toHex(key), { mode: 0o600 });
    for (const [file, text] of Object.entries(testnet.shared ?? {})) writeFileSync(join(work, file), text);
    renameSync(work, output);
  } catch (error) {
    if (work !== undefined) rmSync(work, { recursive: true, force: true });
    throw new Failure(`${output}: cannot be written: ${systemReason(error)}`, error);
  }
  return {
    output,
    chainId: testnet.chainId,
    nodes: nodes.map(({ name, host, nodeId, isValidator }) => ({
      name,
      directory: join(output, name),
      kind: isValidator ? 'validator' : 'full node',
      host,
      nodeId,
    })),
    // The new account that holds everything, when no others were named.
    ...(account === undefined ? {} : { account: { address: account, keyFile: join(output, ACCOUNT_KEY) } }),
  };

  function getHosts({ hosts: named }: Testnet): readonly string[] {
    const count = validators + fullNodes;
    if (named.length === 0) return Array.from({ length: count }, (_, index) => `node-${index}`);
    if (named.length !== count)
      throw usage(`--hosts: expected one for each of the ${count} nodes, validators first, got ${named.length}`);
    for (const host of named) {
      if (isIP(host) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(host))
        throw usage(`--hosts: expected names or addresses without ports, got ${JSON.stringify(host)}`);
      if (named.filter((other) => other === host).length > 1)
        throw usage(
          `--hosts: ${host} is named twice: nodes of one machine need ports of their own, as \`dev run\` gives them`,
        );
    }
    return named;
  }
}

const P2P = nodePorts(0, 0).p2p;
/** File of the key of the one account, in the directory of a network that has no others. */
export const ACCOUNT_KEY = 'genesis_account_key';

const inUrl = (host: string) => (isIP(host) === 6 ? `[${host}]` : host);

export interface NewNode extends Omit<Described, 'listen'> {
  readonly nodeKey: string;
  readonly validatorKey: string;
}

function getGenesis(testnet: Testnet, account: string | undefined, nodes: readonly NewNode[], now: Date): string {
  const { chainId, nativeDenom, accounts } = testnet;
  const held = accounts === 'published' ? sequencerBalances : accounts;
  const balances = account === undefined ? held : [{ address: account, amount: ALL_FUNDS }];
  const sudo = testnet.sudo ?? balances[0]?.address;
  return chainGenesisFile({
    chainId,
    nativeDenom,
    validators: nodes
      .filter(({ isValidator }) => isValidator)
      .map(({ name, validatorKey }) => ({ name, publicKey: validatorPublicKeyIn(validatorKey, name) })),
    accounts: balances,
    ...(sudo === undefined ? {} : { sudo }),
    time: now,
  });
}

function writeNode(directory: string, node: NewNode, testnet: Testnet, genesis: string, others: readonly string[]) {
  const { name, host } = node;
  const { listen, blockIntervalMs } = testnet;
  const home = join(directory, 'cometbft');
  mkdirSync(join(home, 'config'), { recursive: true, mode: 0o700 });
  mkdirSync(join(home, 'data'), { mode: 0o700 });
  const write = (path: string, text: string, mode = 0o644) => writeFileSync(join(directory, path), text, { mode });
  write('cometbft/config/genesis.json', genesis);
  write('cometbft/config/node_key.json', node.nodeKey, 0o600);
  write('cometbft/config/priv_validator_key.json', node.validatorKey, 0o600);
  write('cometbft/data/priv_validator_state.json', FIRST_SIGN_STATE, 0o600);
  const ports = nodePorts(0, 0);
  const config = cometConfigFile({
    moniker: name,
    ports,
    listen: inUrl(listen),
    metricsListen: testnet.metricsListen,
    // A name may not be known on its own machine.
    external: isIP(host) === 0 ? '' : `${inUrl(host)}:${ports.p2p}`,
    peers: others,
    local: false,
    timeoutCommitMs: blockIntervalMs,
    emptyBlockIntervalMs: Math.max(2_000, blockIntervalMs),
    genesis: 'config/genesis.json',
    data: 'data',
  });
  write('cometbft/config/config.toml', config);
  for (const [file, text] of Object.entries(testnet.beside(node))) write(file, text);
}

/** How a node is started on its own machine. */
export const besideOnMachine = (listen: string) => (node: NewNode) => ({
  'sequencer.env': environment(listen),
  'README.md': nodeReadme({ ...node, listen }),
});

function environment(listen: string): string {
  const ports = nodePorts(0, 0);
  const settings = settingsIn(
    settingsFor(PROGRAMS.sequencer, {
      ...{ engine: 'cometbft', listenAddr: `tcp://127.0.0.1:${ports.abci}` },
      ...{ cometbftRpcUrl: `http://127.0.0.1:${ports.rpc}`, grpcAddr: `${inUrl(listen)}:${ports.grpc}` },
      ...{ dbFilepath: 'data', log: 'info', metricsHttpListenerAddr: `127.0.0.1:${ports.metrics}` },
    }),
  );
  const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`);
  return `# Settings of the sequencer of this node. Relative paths begin in its working directory.\n${lines.join('')}`;
}
