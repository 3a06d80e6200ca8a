import { existsSync, readFileSync } from 'node:fs';
import { accountsWith, composerAccount, type DevAccount, faucetAccount } from '@switchyard/network/accounts';
import { evmAccounts, evmFaucetAccount } from '@switchyard/network/evm-accounts';
import { httpGet } from '@switchyard/network/supervisor/http-get';
import { list, object, type Read, text } from '@switchyard/service/input';
import { readJson } from '@switchyard/service/lenient';
import type { Connections, SequencerPort } from '../../connect.ts';
import { rollupBuiltin } from '../config/entry.ts';
import { bridgesIn, GENESIS_KEYS } from '../config/genesis.ts';
import { withRole } from '../config/roles.ts';
import type { InstancePaths } from '../instance/home.ts';
import { currentRun } from '../instance/run-file.ts';
import { readAsRun } from '../services/flags.ts';
import { planServices } from '../services/services.ts';
import { toUrls } from '../status/urls.ts';

export interface Holdings {
  /** Transactions executed so far. */
  readonly nonce: number;
  readonly balances: readonly { readonly asset: string; readonly amount: bigint }[];
}

/** Destination of the deposits to a bridge account. */
export interface Bridge {
  /** Whether the sequencer knows it as one; unknown when nothing runs. */
  readonly registered?: boolean;
  readonly rollupId?: string;
  readonly asset?: string;
}

export interface AccountState extends Omit<DevAccount, 'key'> {
  /** Only of published keys. */
  readonly key?: string;
  /** Place of a private key. */
  readonly keyFile?: string;
  readonly bridge?: Bridge | undefined;
  readonly sequencer?: Holdings | undefined;
  readonly rollup?: Holdings | undefined;
}

/** An account of the EVM rollup. */
export interface EvmAccountState {
  readonly address: string;
  readonly role: string;
  /** Hex with 0x. */
  readonly key: string;
  /** In wei. */
  readonly balance?: bigint;
  readonly nonce?: number;
}

/** The development accounts of an instance, and their balances on both layers if its network runs. */
export async function accountsState(
  paths: InstancePaths,
  env: NodeJS.ProcessEnv,
  { sequencer: connect, evm: connectEvm }: Pick<Connections, 'sequencer' | 'evm'>,
) {
  const run = currentRun(paths);
  const instance = readAsRun(paths, run?.network ?? 'local', env);
  const notes: string[] = [];
  const planned = run === undefined ? [] : planServices(instance, env);
  const urls = toUrls(instance.network, planned).rollups;
  const [rollup, evmUrl] = ['messenger', 'evm'].map((wanted) => urls.find(({ kind }) => kind === wanted)?.url);
  const kinds = withRole(instance.network, 'rollup').map(rollupBuiltin);
  const has = { messenger: kinds.includes('messenger'), evm: kinds.includes('evm') };
  const sequencer = run === undefined ? undefined : await connect(instance.network.sequencerRpc);
  const silent = new Set<string>();
  const ask = async <T>(layer: string, question: () => Promise<T>): Promise<T | undefined> => {
    try {
      return silent.has(layer) ? undefined : await question();
    } catch (error) {
      if (!silent.has(layer)) notes.push(`${layer} does not answer: ${error instanceof Error ? error.message : error}`);
      silent.add(layer);
      return undefined;
    }
  };
  const bridges = [
    ...bridgesIn(paths.rollupGenesis, GENESIS_KEYS.messenger),
    ...bridgesIn(paths.evmGenesis, GENESIS_KEYS.evm),
  ];
  const accounts: AccountState[] = [];
  for (const account of await knownAccounts(paths, bridges, has)) {
    const { address } = account;
    const held = sequencer && (await ask('the sequencer', () => onSequencer(sequencer, address)));
    const here = rollup === undefined ? undefined : await ask('the rollup', () => onRollup(rollup, address));
    const bridge = bridges.includes(address)
      ? sequencer === undefined || held === undefined
        ? {}
        : await ask('the sequencer', () => bridgeOf(sequencer, address))
      : undefined;
    accounts.push({ ...account, bridge, sequencer: held, rollup: here });
  }
  const evmNode = evmUrl === undefined ? undefined : await connectEvm(evmUrl);
  const evm: EvmAccountState[] = [];
  for (const account of has.evm ? knownEvmAccounts : []) {
    const { address } = account;
    const held =
      evmNode &&
      (await ask('the EVM rollup', async () => {
        const [balance, nonce] = await Promise.all([evmNode.balance(address), evmNode.nonce(address)]);
        return { balance, nonce: Number(nonce) };
      }));
    evm.push({ ...account, ...held });
  }
  return {
    instance: paths.name,
    network: instance.network.name,
    running: run !== undefined,
    accounts,
    // Absent without an EVM rollup.
    ...(has.evm ? { evm } : {}),
    /** Why a layer does not report balances. */
    notes,
  };
}

const knownEvmAccounts: readonly EvmAccountState[] = [
  ...evmAccounts.map((account) => ({ ...account, role: 'funded by the genesis' })),
  { ...evmFaucetAccount, role: 'gives from the page of the faucet' },
].map((account) => ({ ...account, key: `0x${account.key}` }));

/** The published ones, the composer's as the instance has it, and bridge accounts without a name. */
async function knownAccounts(
  paths: InstancePaths,
  bridges: readonly string[],
  has: Parameters<typeof accountsWith>[0],
): Promise<AccountState[]> {
  const published = [...accountsWith(has), ...(has.evm || has.messenger ? [faucetAccount] : [])].map(
    ({ name, address, key, role }) => ({ name, address, role, key }),
  );
  const accounts: AccountState[] = [...published, await composerState(paths)];
  const unnamed = bridges.filter((address) => !accounts.some((account) => account.address === address));
  return [
    ...accounts,
    ...unnamed.map((address) => ({ name: '', address, role: 'bridge account of the rollup, by its genesis' })),
  ];
}

/** Its key is a published one only until the file is given another. */
async function composerState(paths: InstancePaths): Promise<AccountState> {
  const { name, address, key, role } = composerAccount;
  const file = paths.composerKey;
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim().replace(/^0x/, '') : key;
  if (text === key) return { name, address, role, key };
  const { accountOfKey } = await import('../config/composer-key.ts');
  const account = accountOfKey(text, 'astria');
  if (account === undefined) return { name, address: '', role: `${role}; its key file is damaged`, keyFile: file };
  return { name, address: account.address, role, keyFile: file };
}

async function onSequencer(sequencer: SequencerPort, address: string): Promise<Holdings> {
  const [balances, { nonce }] = await Promise.all([sequencer.balances(address), sequencer.nonce(address)]);
  return { nonce, balances: balances.map(({ asset, amount }) => ({ asset, amount })) };
}

async function bridgeOf(sequencer: SequencerPort, address: string): Promise<Bridge> {
  const bridge = await sequencer.bridgeAccount(address);
  return bridge === undefined
    ? { registered: false }
    : { registered: true, rollupId: bridge.rollup, asset: bridge.asset };
}

/** Holdings on the messenger's rollup, from its page about an account. */
async function onRollup(url: string, address: string): Promise<Holdings> {
  const { status, body } = await httpGet(`${url}/v1/accounts/${address}`);
  const account = status === 200 ? readJson(body, holdings) : undefined;
  if (account === undefined) throw new Error(`status ${status}`);
  return account;
}

const holdings: Read<Holdings> = object({
  nonce: (input) => input.integer(),
  balances: list(object({ asset: text, amount: (input) => input.big(0n) })),
});
