import { balances } from '@switchyard/machine';
import {
  createSigner,
  type Deposit,
  fromHex,
  parseAnyAddress,
  parseDenom,
  rollupIdFromName,
  type Signer,
  txHashOf,
} from '@switchyard/protocol';
import { toRollup } from '@switchyard/rollup/node';
import { type TestNodeOptions, testNode } from '@switchyard/rollup/testing';
import { sign } from '../client/sign.ts';
import { messenger as definition } from '../messenger.ts';
import { besideMessenger, type MessengerSettings } from '../node.ts';

export { type MessengerAction, sign } from '../client/sign.ts';

/** The development accounts of the wire: public test keys. */
export const alice = createSigner(fromHex('2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90'));
export const bob = createSigner(fromHex('b70fd3b99cab2d98dbd73602deb026b9cdc9bb7b85d35f0bbb81b17c78923dd0'));
export const carol = createSigner(fromHex('0e951afdcbefc420fe6f71b82b0c28c11eb6ee5d95be0886ce9dbf6fa512debc'));
export const ALICE = 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm';
export const BOB = 'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2';
export const CAROL = 'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk';
export const CHAIN = 'astria-chat';
export const NRIA = parseDenom('nria').id;
export const FUNDS = 100_000_000_000_000_000n;

/** The reference's own example: alice and bob have funds, carol is the bridge account. */
export const exampleFile = {
  rollup_name: CHAIN,
  sequencer_genesis_block_height: 2,
  celestia_genesis_block_height: 2,
  celestia_block_variance: 100,
  accounts: [
    { address: { bech32m: ALICE }, balance: { lo: String(FUNDS) } },
    { address: { bech32m: BOB }, balance: { lo: String(FUNDS) } },
  ],
  bridge_accounts: [{ bech32m: CAROL }],
  authority_sudo_address: { bech32m: ALICE },
};

/** Text of a genesis file. */
export const exampleGenesis = (changes: object = {}): string =>
  JSON.stringify({ ...exampleFile, chain_id: CHAIN, ...changes });

/** The messenger as a node runs it. */
export function messenger(genesisText = exampleGenesis(), settings?: MessengerSettings): ReturnType<typeof toRollup> {
  return toRollup(definition, genesisText, 'genesis.json', undefined, (genesis) => besideMessenger(genesis, settings));
}

export interface MessengerNodeOptions extends TestNodeOptions {
  /** Text of the genesis file. */
  readonly genesis?: string;
  readonly settings?: MessengerSettings;
}

export interface MessengerNode extends Awaited<ReturnType<typeof testNode>> {
  /** In the soft state. */
  balance(who: Signer, asset?: string): bigint;
}

/** A messenger node in memory. */
export async function messengerNode({
  genesis,
  settings,
  ...options
}: MessengerNodeOptions = {}): Promise<MessengerNode> {
  const node = await testNode(messenger(genesis, settings), options);
  return {
    ...node,
    balance: (who: Signer, asset = 'nria') =>
      balances.get(node.chain.view.snapshot, [who.account, parseDenom(asset).id]),
  };
}

interface Signed {
  readonly nonce: number;
  readonly chainId: string;
}

export function signText(
  { nonce, chainId, text: words, from, feeAsset }: Signed & { readonly text: string; from: string; feeAsset: string },
  signer: Signer,
): Uint8Array {
  const action = { kind: 'sendText' as const, text: words, name: from, feeAsset: parseDenom(feeAsset) };
  return sign({ nonce, chainId, actions: [action] }, signer);
}

interface Moved extends Signed {
  readonly to: string;
  readonly amount: bigint;
  readonly asset: string;
}

export function signTransfer(
  { nonce, chainId, to, amount, asset, feeAsset }: Moved & { readonly feeAsset: string },
  signer: Signer,
): Uint8Array {
  const moved = { to: parseAnyAddress(to), amount, asset: parseDenom(asset), feeAsset: parseDenom(feeAsset) };
  return sign({ nonce, chainId, actions: [{ kind: 'transfer', ...moved }] }, signer);
}

export function signWithdraw(
  { nonce, chainId, to, amount, asset, memo = '' }: Moved & { readonly memo?: string },
  signer: Signer,
): Uint8Array {
  const moved = { to: parseAnyAddress(to), amount, asset: parseDenom(asset), memo };
  return sign({ nonce, chainId, actions: [{ kind: 'withdraw', ...moved }] }, signer);
}

export function text(nonce: number, signer: Signer, words = 'gm', from = 'alice', feeAsset = 'nria'): Uint8Array {
  return signText({ nonce, chainId: CHAIN, text: words, from, feeAsset }, signer);
}

export function transfer(nonce: number, signer: Signer, to: string, amount: bigint, asset = 'nria'): Uint8Array {
  return signTransfer({ nonce, chainId: CHAIN, to, amount, asset, feeAsset: 'nria' }, signer);
}

export function deposit(changes: Partial<Deposit> = {}): Deposit {
  return {
    bridge: { account: carol.account, prefix: 'astria' },
    rollup: rollupIdFromName(CHAIN),
    amount: 1n,
    asset: 'ntia',
    destination: BOB,
    sourceTransaction: txHashOf(Uint8Array.of(1)),
    sourceAction: 0n,
    ...changes,
  };
}
