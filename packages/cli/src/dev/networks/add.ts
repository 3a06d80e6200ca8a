import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Failure, usage } from '@switchyard/service/failure';
import { quoted } from '@switchyard/storage/damaged';
import { accountOfKey } from '../config/composer-key.ts';
import { checkName, getAsset } from '../config/values.ts';
import { parseJson, readText, replaceFiles } from '../files/files.ts';
import { parseToml, valueAt } from '../files/toml.ts';
import { rollupGenesis } from '../init/genesis-files.ts';
import { memberTables } from '../init/network-text.ts';
import { localNetwork } from '../init/networks-file.ts';
import { type NewNetwork, networkFrom } from '../init/new-network.ts';
import { checkNames, settingsFor } from '../init/settings.ts';
import { inOrder, nameOfRollup } from '../init/templates.ts';
import { type InstancePaths, isName, NAME_RULE } from '../instance/home.ts';
import { requireInstance } from '../instance/instance.ts';
import { composerKeyName, evmGenesisName, rollupGenesisName } from '../instance/network-places.ts';
import type { RemoteNode } from './node.ts';

interface AddOptions {
  readonly name: string;
  readonly grpc: string;
  readonly rpc: string;
  readonly chainId?: string | undefined;
  readonly asset?: string | undefined;
  readonly rollupName?: string | undefined;
  /** Absolute path of the composer's key; absent: the network's own file, made if it is not there. */
  readonly keyFile?: string | undefined;
  readonly allowDevKey?: boolean | undefined;
}

export type Added = Readonly<Awaited<ReturnType<typeof addNetwork>>>;

/**
 * Adds a network whose sequencer runs elsewhere, after asking it: its block in the network file, a key for the composer
 * and a genesis for the rollup that begins at the sequencer's present block.
 *
 * @throws {Failure} before anything is written, when something cannot be used or the node does not answer.
 */
export async function addNetwork(paths: InstancePaths, options: AddOptions, node: RemoteNode) {
  const { name, grpc, rpc } = options;
  requireInstance(paths);
  if (!isName(name)) {
    throw usage(`network name: expected ${NAME_RULE}, got ${JSON.stringify(name.slice(0, 80))}`);
  }
  const before = readText(paths.networks);
  if (valueAt(parseToml(before, paths.networks), ['networks', name]) !== undefined) {
    throw new Failure(
      `${paths.networks}: there is a network ${name} already: choose another name, or \`switchyard dev network remove ${name}\` first`,
    );
  }
  const local = settingsFor(paths, {});
  const rollups = inOrder(local.rollups);
  const earlier = earlierGenesis(paths, name);
  const rollupName =
    options.rollupName ??
    earlier?.rollupName ??
    (rollups.includes('messenger') ? nameOfRollup(local, 'messenger') : local.rollupName);
  checkName('--rollup-name', rollupName);
  if (earlier !== undefined && earlier.rollupName !== rollupName) {
    throw usage(
      `--rollup-name ${rollupName}: ${earlier.path} is there from an earlier network ${name} and calls the rollup ${earlier.rollupName}: take that name, or remove the file and ${join(paths.data, name)}`,
    );
  }
  const names = { rollups, rollupName };
  checkNames(names);
  if (options.asset !== undefined) getAsset('--asset', options.asset);
  const key = composerKey(paths, options);

  const status = await node.status();
  if (options.chainId !== undefined && options.chainId !== status.chainId) {
    throw new Failure(`--chain-id ${options.chainId}: the sequencer at ${rpc} is of chain ${status.chainId}`);
  }
  const { chainId } = status;
  const asset = options.asset ?? (await node.feeAssets())[0];
  if (asset === undefined)
    throw new Failure(`the sequencer at ${rpc} names no asset that pays fees: give one with --asset`);
  await node.checkGrpc(key.address);
  const balance = await node.balance(key.address, asset);

  const height = earlier?.height ?? Number(status.height);
  const files: { path: string; text: string; mode: number }[] = [];
  for (const rollup of rollups) {
    const path = join(paths.config, rollup === 'evm' ? evmGenesisName(name) : rollupGenesisName(name));
    const settings = { ...names, chainId, nativeDenom: asset };
    if (!existsSync(path))
      files.push({ path, text: rollupGenesis(rollup, settings, { chainId, height }), mode: 0o644 });
  }
  if (key.text !== undefined) files.push({ path: key.path, text: key.text, mode: 0o600 });
  const network = { name, chainId, grpc, rpc, asset, rollups, offset: local.offset };
  const payer = { composerKey: key.written, allowDevKey: options.allowDevKey === true };
  const block = networkBlock({ ...network, ...payer }, rollupName);
  const networks = `${before.trimEnd()}\n\n${block}`;
  // A block that could not be read back would leave an instance that does not start.
  parseToml(networks, paths.networks);
  replaceFiles([...files, { path: paths.networks, text: networks }]);
  return {
    name,
    chainId,
    asset,
    rollupName,
    /** Last block of the sequencer that the rollup leaves out. */
    height,
    composer: { address: key.address, keyFile: key.path, balance },
    written: [paths.networks, ...files.map(({ path }) => path)],
  };
}

/** A network of this name may have been removed: its stored data fit its genesis only. */
function earlierGenesis(paths: InstancePaths, name: string) {
  const path = join(paths.config, rollupGenesisName(name));
  if (existsSync(path)) {
    const genesis = parseJson(readText(path), path);
    return {
      path,
      rollupName: String(valueAt(genesis, ['rollup_name'])),
      height: Number(valueAt(genesis, ['sequencer_genesis_block_height']) ?? 0),
    };
  }
  const evm = join(paths.config, evmGenesisName(name));
  if (!existsSync(evm)) return undefined;
  const section = valueAt(parseJson(readText(evm), evm), ['config', 'switchyard']);
  return {
    path: evm,
    rollupName: String(valueAt(section, ['rollupName'])),
    height: Number(valueAt(section, ['sequencer', 'startHeight']) ?? 1) - 1,
  };
}

interface ComposerKey {
  readonly path: string;
  /** Path as the network file shall name it. */
  readonly written: string;
  /** Contents to write; absent when the file is there. */
  readonly text: string | undefined;
  readonly address: string;
}

/** The key that will pay. @throws {Failure} when it is invalid, or a published one without permission. */
function composerKey(paths: InstancePaths, { name, keyFile, allowDevKey }: AddOptions): ComposerKey {
  if (keyFile !== undefined && !isAbsolute(keyFile))
    throw usage(`--composer-key-file: expected an absolute path, got ${keyFile}`);
  const own = composerKeyName(name);
  const path = keyFile ?? join(paths.config, own);
  const written = keyFile ?? `$SWITCHYARD_INSTANCE/config/${own}`;
  const text = existsSync(path) ? undefined : randomBytes(32).toString('hex');
  if (text !== undefined && keyFile !== undefined) {
    throw new Failure(
      `${path}: no such file: make one with \`switchyard sequencer account create --out ${quoted(path)}\``,
    );
  }
  const account = accountOfKey(text ?? readText(path), 'astria');
  if (account === undefined) throw new Failure(`${path}: expected a key of 64 hex digits`);
  if (account.published && allowDevKey !== true) {
    throw new Failure(
      `${path}: this is a published test key, and everyone who knows it can spend its funds: make one of your own with \`switchyard sequencer account create --out PATH\`, or say --allow-dev-key`,
    );
  }
  return { path, written, text, address: account.address };
}

const text = JSON.stringify;

/**
 * The block of a network whose sequencer runs elsewhere. Its data, and the key that pays, are its own:
 * nothing of the local network may get mixed up with it.
 */
function networkBlock(network: Omit<NewNetwork, 'kind' | 'layer'>, rollupName: string): string {
  const { name, chainId, grpc, rpc, asset } = network;
  const remote = networkFrom({ ...network, kind: 'remote', layer: 'none' });
  const local = localNetwork({ ...network, nativeDenom: asset, layer: 'none' });
  return `# ${name}: a sequencer that runs elsewhere. \`switchyard dev run --network ${name}\` starts the services named here.
[networks.${name}]
sequencer_chain_id = ${text(chainId)}
sequencer_grpc = ${text(grpc)}
sequencer_rpc = ${text(rpc)}
rollup_name = ${text(rollupName)}
native_denom = ${text(asset)}
${memberTables(remote, local)}`;
}
