import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure } from '@switchyard/service/failure';
import { stringify } from 'smol-toml';
import { makeWhole, parseJson, readText, replaceFile } from '../files/files.ts';
import { setJsonValue } from '../files/json-edit.ts';
import { isTable, parseToml, valueAt } from '../files/toml.ts';
import { type InstancePaths, instanceArguments } from '../instance/home.ts';
import type { PlannedService } from '../services/planned.ts';
import { accountIn, makeCelestiaKeys, STORED_AS } from './keys.ts';
import { CELESTIA_CHAIN, celestiaPaths } from './layout.ts';

type Node = Pick<PlannedService, 'name' | 'command' | 'env'> & {
  readonly celestia: NonNullable<PlannedService['celestia']>;
};

interface Options {
  readonly signal?: AbortSignal | undefined;
  readonly onNotice: (line: string) => void;
}

const MINUTE_MS = 60_000;
const WORTH_UTIA = 1_000_000_000_000n;
const ANY_PORT = '/ip4/127.0.0.1/tcp/0';

/**
 * Makes the homes of the nodes of an instance's Celestia network that have not run yet. Each is there whole or not at all, so an
 * interrupted first start is repeated.
 *
 * @throws {Failure}
 */
export async function prepareCelestia(paths: InstancePaths, services: readonly PlannedService[], options: Options) {
  const nodes = services.filter((each): each is PlannedService & Node => each.celestia !== undefined);
  if (nodes.length === 0) return;
  makeCelestiaKeys(paths);
  const absent = nodes.filter(({ celestia }) => !existsSync(celestia.home));
  const [there] = nodes.filter((each) => !absent.includes(each));
  for (const node of absent) {
    // Another first block makes a different network, which the stored headers contradict.
    if (node.celestia.label === 'celestia-app' && there !== undefined)
      throw new Failure(
        `${node.celestia.home}: is absent, and ${there.celestia.home} has what belongs to it: \`switchyard dev reset state${instanceArguments(paths)}\``,
      );
    options.onNotice(`making the home of ${node.name}`);
    await makeWhole(node.celestia.home, async (work) => {
      const home = join(work, 'home');
      await (node.celestia.label === 'celestia-app' ? makeValidator : makeStore)(node, home, paths, options);
      return home;
    });
  }
  for (const { celestia } of nodes) {
    if (celestia.label === 'celestia-app') continue;
    const file = join(celestia.home, 'config.toml');
    const text = readText(file);
    const wanted = withPeerAddress(text, file, celestia.peerAddress ?? ANY_PORT);
    if (wanted !== text) replaceFile(file, wanted, 0o600);
  }
}

/** A validator with keys of its own, and a genesis with funds for it and for who posts. */
async function makeValidator(node: Node, home: string, paths: InstancePaths, options: Options): Promise<void> {
  const keyring = ['--keyring-backend', 'test', '--home', home];
  const run = (...args: string[]) => runNode(node, args, options);
  const genesis = join(home, 'config', 'genesis.json');
  const edit = (change: (text: string) => string) => replaceFile(genesis, change(readText(genesis)), 0o644);
  await run('init', 'switchyard', '--chain-id', CELESTIA_CHAIN, '--home', home);
  const made = await run('keys', 'add', 'validator', '--no-backup', '--output', 'json', ...keyring);
  const validator = valueAt(parseJson(made, 'celestia-appd keys add'), ['address']);
  const accounts = [String(validator), accountIn(paths.relayerKey)];
  edit((text) =>
    withAccounts(
      text,
      genesis,
      accounts.map((address) => ({ address, utia: WORTH_UTIA })),
    ),
  );
  const transaction = join(home, 'config', 'gentx.json');
  const rates = ['--commission-rate', '0.2', '--commission-max-rate', '1.0', '--commission-max-change-rate', '1.0'];
  const stake = [`${WORTH_UTIA / 2n}utia`, '--chain-id', CELESTIA_CHAIN, '--fees', '500utia'];
  await run('genesis', 'gentx', 'validator', ...stake, ...rates, '--output-document', transaction, ...keyring);
  edit((text) => withValidator(text, genesis, parseJson(readText(transaction), transaction)));
}

/** The store of a bridge or light node with its keys. */
async function makeStore(node: Node, home: string, paths: InstancePaths, options: Options): Promise<void> {
  const kind = node.celestia.label === 'celestia-bridge' ? 'bridge' : 'light';
  const { bridgeKey, lightSecret } = celestiaPaths(paths);
  const keys = join(home, 'keys');
  await runNode(node, [kind, 'init', '--node.store', home, '--p2p.network', CELESTIA_CHAIN], options);
  mkdirSync(keys, { recursive: true, mode: 0o700 });
  const [from, name] = kind === 'bridge' ? [bridgeKey, STORED_AS.p2pKey] : [lightSecret, STORED_AS.jwtSecret];
  copyFileSync(from, join(keys, name));
  chmodSync(join(keys, name), 0o600);
}

/** @returns what it printed, which may have secrets. @throws {Failure} with the last line of what it reported. */
function runNode({ command, env, celestia }: Node, args: readonly string[], { signal }: Options): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...env }, timeout: MINUTE_MS, cwd: dirname(celestia.home), ...(signal && { signal }) };
    execFile(command, args, { ...options, encoding: 'utf8' }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const last = plain(stderr.trim().split('\n').at(-1) ?? '');
      reject(new Failure(`${command} ${args.slice(0, 2).join(' ')} failed: ${last || error.message}`, error));
    });
  });
}

/** One account in the genesis of a Celestia network. */
interface Funded {
  readonly address: string;
  readonly utia: bigint;
}

/** The genesis with these accounts in place of the present ones, of which a new one has none. @throws {Failure} */
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
