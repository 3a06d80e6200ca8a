import { existsSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { chainGenesisFile, validatorKeyFile } from '@switchyard/network/genesis';
import { wallDate } from '@switchyard/service';
import { Failure, usage } from '@switchyard/service/failure';
import { nodePorts } from '@switchyard/stack/ports';
import { makeDirectory, parseJson, readText, replaceFiles, writeAbsent } from '../files/files.ts';
import { isTable, lowerKeys, parseToml, valueAt } from '../files/toml.ts';
import { getRollupGenesisFiles } from '../init/genesis-at-start.ts';
import { accountsFor } from '../init/genesis-files.ts';
import { memberTables } from '../init/network-text.ts';
import { localNetwork } from '../init/networks-file.ts';
import { networkFrom } from '../init/new-network.ts';
import { type InstanceSettings, settingsFor } from '../init/settings.ts';
import { validatorPublicKey } from '../init/validator.ts';
import { type InstancePaths, instanceArguments } from '../instance/home.ts';
import { COMET_VERSION } from './binary.ts';
import { cometConfigFile } from './config-file.ts';
import { COMET_NETWORK, cometLabel, MAX_NODES, type NodeCounts, nodeDirectory, sequencerLabel } from './layout.ts';
import { nodeIdIn, nodeKeyFile } from './node-key.ts';

const DEFAULT_VALIDATORS = 4;

/** @throws {Failure} on an invalid number of nodes. */
export function nodeCounts(validators: string | undefined, fullNodes: string | undefined): Partial<NodeCounts> {
  const whole = (flag: string, text: string | undefined, least: number) => {
    if (text === undefined) return undefined;
    if (/^\d{1,3}$/.test(text) && Number(text) >= least && Number(text) <= MAX_NODES) return Number(text);
    throw usage(`${flag}: expected a whole number from ${least} to ${MAX_NODES}, got ${JSON.stringify(text)}`);
  };
  const [all, others] = [whole('--validators', validators, 1), whole('--full-nodes', fullNodes, 0)];
  if ((all ?? DEFAULT_VALIDATORS) + (others ?? 0) > MAX_NODES) {
    throw usage(`--validators and --full-nodes: expected at most ${MAX_NODES} nodes together`);
  }
  return { ...(all === undefined ? {} : { validators: all }), ...(others === undefined ? {} : { fullNodes: others }) };
}

/**
 * Makes sure that an instance has the network `cometbft`, with this many nodes: writes its block, and the homes with keys,
 * genesis and settings. Keys of an earlier one stay.
 *
 * @param asked Numbers left open stay unchanged, else are the usual ones.
 * @returns the files that were written, relative to the instance; none when all is there.
 * @throws {Failure} when the network is there with other numbers, or the stored blocks belong to other validators.
 */
export function addCometNetwork(paths: InstancePaths, wanted: Partial<NodeCounts>, now = wallDate()): string[] {
  const before = readText(paths.networks);
  const present = presentCounts(paths, before);
  if (present !== undefined) {
    const { validators = present.validators, fullNodes = present.fullNodes } = wanted;
    if (validators === present.validators && fullNodes === present.fullNodes) return writeHomes(paths, present, now);
    throw new Failure(
      `${paths.networks}: the network ${COMET_NETWORK} has ${present.validators} validators and ${present.fullNodes} full nodes, asked for are ${validators} and ${fullNodes}: take another instance, or \`switchyard dev network remove ${COMET_NETWORK}${instanceArguments(paths)}\` and \`switchyard dev reset state${instanceArguments(paths)}\` first`,
    );
  }
  const { validators = DEFAULT_VALIDATORS, fullNodes = 0 } = wanted;
  const settings = settingsFor(paths, {});
  const block = cometNetworkBlock({ ...settings, validators, fullNodes });
  const text = `${before.trimEnd()}\n\n${block}`;
  // A block that could not be read back would leave an instance that does not start.
  parseToml(text, paths.networks);
  const written = writeHomes(paths, { validators, fullNodes }, now);
  replaceFiles([{ path: paths.networks, text }]);
  return [relative(paths.directory, paths.networks), ...written];
}

/** The numbers of nodes that the network has; `undefined` while there is no such network. */
function presentCounts(paths: InstancePaths, networks: string): NodeCounts | undefined {
  const table = lowerKeys(parseToml(networks, paths.networks), paths.networks, ['env']);
  const services = valueAt(table, ['networks', COMET_NETWORK, 'services']);
  if (!isTable(services)) return undefined;
  const nodes = Object.keys(services).filter((label) => /^cometbft-\d+$/.test(label)).length;
  const path = genesisPath(paths);
  if (!existsSync(path)) {
    throw new Failure(
      `${path}: is absent, and networks-config.toml has the network ${COMET_NETWORK}: put it back, or \`switchyard dev network remove ${COMET_NETWORK}${instanceArguments(paths)}\` and \`switchyard dev reset state${instanceArguments(paths)}\``,
    );
  }
  const validators = valueAt(parseJson(readText(path), path), ['validators']);
  const count = Array.isArray(validators) ? validators.length : 0;
  return { validators: count, fullNodes: Math.max(0, nodes - count) };
}

const genesisPath = (paths: InstancePaths) => join(paths.config, COMET_NETWORK, 'genesis.json');

/** @throws {Failure} */
function writeHomes(paths: InstancePaths, { validators, fullNodes }: NodeCounts, now: Date): string[] {
  const settings = settingsFor(paths, {});
  const { chainId, nativeDenom, offset, rollups } = settings;
  const nodes = Array.from({ length: validators + fullNodes }, (_, index) => {
    const home = join(paths.config, nodeDirectory(index));
    makeDirectory(join(home, 'config'));
    const at = (name: string) => join(home, 'config', name);
    const [nodeKey, validatorKey] = [at('node_key.json'), at('priv_validator_key.json')];
    return { index, ports: nodePorts(index, offset), nodeKey, validatorKey, config: at('config.toml') };
  });
  const keys = writeAbsent(
    nodes.flatMap(({ nodeKey, validatorKey }) => [
      { path: nodeKey, text: nodeKeyFile, mode: 0o600 },
      { path: validatorKey, text: validatorKeyFile, mode: 0o600 },
    ]),
  );
  const known = nodes.map((node) => ({ ...node, id: nodeIdIn(readText(node.nodeKey), node.nodeKey) }));
  const genesis = genesisPath(paths);
  const signers = known
    .slice(0, validators)
    .map(({ index, validatorKey }) => ({ name: cometLabel(index), publicKey: validatorPublicKey(validatorKey) }));
  if (existsSync(genesis) && !sameValidators(genesis, signers)) {
    const stored = join(paths.data, COMET_NETWORK);
    if (existsSync(stored)) {
      throw new Failure(
        `${genesis}: has other validators than asked for, and ${stored} holds their blocks: \`switchyard dev reset state${instanceArguments(paths)}\` first`,
      );
    }
    rmSync(genesis);
  }
  const chain = { chainId, nativeDenom, validators: signers, accounts: accountsFor(rollups), time: now };
  // A file of an earlier network with another number of nodes is replaced.
  for (const { config } of known) {
    if (existsSync(config) && persistentPeers(config) !== known.length - 1) rmSync(config);
  }
  const others = writeAbsent([
    { path: genesis, text: () => chainGenesisFile(chain) },
    ...getRollupGenesisFiles(paths, settings).map(({ path, text }) => ({
      path: join(paths.config, COMET_NETWORK, basename(path)),
      text: () => (existsSync(path) ? readText(path) : text()),
    })),
    ...known.map(({ index, ports, config }) => ({
      path: config,
      text: () =>
        cometConfigFile({
          moniker: cometLabel(index),
          ports,
          ...{ listen: '127.0.0.1', metricsListen: '127.0.0.1', external: '', local: true },
          peers: known.flatMap((other) => (other.index === index ? [] : [`${other.id}@127.0.0.1:${other.ports.p2p}`])),
          // The pace of base-config.toml comes as an environment variable, and wins.
          ...{ timeoutCommitMs: 1_000, emptyBlockIntervalMs: 2_000 },
          genesis: '../genesis.json',
          data: `../../../data/${nodeDirectory(index)}/cometbft`,
        }),
    })),
  ]);
  return [...keys, ...others].map((path) => relative(paths.directory, path));
}

function sameValidators(genesis: string, validators: readonly { readonly publicKey: string }[]): boolean {
  const listed = valueAt(parseJson(readText(genesis), genesis), ['validators']);
  const keys = (Array.isArray(listed) ? listed : []).map((each) => valueAt(each, ['pub_key', 'value']));
  return keys.join() === validators.map(({ publicKey }) => publicKey).join();
}

function persistentPeers(path: string): number {
  const peers = valueAt(parseToml(readText(path), path), ['p2p', 'persistent_peers']);
  return typeof peers === 'string' && peers !== '' ? peers.split(',').length : 0;
}

const text = JSON.stringify;

/**
 * The block `[networks.cometbft]`: for each node a `sequencer-K`, which is our application, and the `cometbft-K` that
 * runs it. Its data are apart from the network `local`, which has another chain.
 */
function cometNetworkBlock(item: InstanceSettings & NodeCounts): string {
  const { chainId, nativeDenom, rollupName, validators, fullNodes } = item;
  const nodes = validators + fullNodes;
  const local = localNetwork(item);
  const network = networkFrom({
    ...item,
    ...{ name: COMET_NETWORK, kind: 'cometbft', asset: nativeDenom, nodes },
    // The first node has the ports of the network `local`.
    ...{ rpc: local.rpc.value, grpc: local.grpc.value },
  });
  const foreign = new Map(
    Array.from({ length: nodes }, (_, index) => [cometLabel(index), consensusTable(index)] as const),
  );
  const head = `# ${validators} validators and ${fullNodes} full nodes under CometBFT, all on this machine. sequencer-K is our application, cometbft-K
# the consensus that runs it, with its home in config/${COMET_NETWORK}/node-K; an empty local_path there means the program
# \`cometbft\` from SWITCHYARD_COMETBFT, from PATH, or from bin/.
[networks.${COMET_NETWORK}]
sequencer_chain_id = ${text(chainId)}
sequencer_grpc = ${text(network.grpc.value)}
sequencer_rpc = ${text(network.rpc.value)}
rollup_name = ${text(rollupName)}
native_denom = ${text(nativeDenom)}
`;
  return `${head}${memberTables(network, local, { foreign })}`;
}

const consensusTable = (index: number) => `
[networks.${COMET_NETWORK}.services.${cometLabel(index)}]
name = ${text(cometLabel(index))}
version = "v${COMET_VERSION}"
local_path = ""
args = ["start", "--home", "$SWITCHYARD_INSTANCE/config/${nodeDirectory(index)}"]
depends_on = [${text(sequencerLabel(index))}]
`;
