/**
 * Every kind of action, in one table. A kind of the wire's union that has no entry here does not compile; how to add one
 * is described in docs/how-to/add-actions-and-queries.md.
 */
import {
  type ActionDefinition,
  type ActionKind,
  action,
  type NamedAction,
  type UnsupportedDefinition,
  unsupported,
} from './definition.ts';
import { address, amount, bytes, denom, flag, number, optionalAddress, rollup, someText, text } from './fields.ts';
import { feeAssetChange, feeChange, validatorUpdate } from './of-settings.ts';

export const DEFINITIONS = {
  /** Moves an amount to another account. */
  transfer: action(
    'transfer',
    'bundleableGeneral',
    { to: address('to'), amount: amount('amount', false), asset: denom('asset'), feeAsset: denom('feeAsset') },
    ({ to }) => [to.account],
  ),
  /** Puts bytes of a rollup into the block. Empty data decodes, and is refused by the action's check. */
  rollupDataSubmission: action('rollupDataSubmission', 'bundleableGeneral', {
    rollup: rollup('rollupId'),
    data: bytes('data'),
    feeAsset: denom('feeAsset'),
  }),
  /** Deposits an amount for a rollup. */
  bridgeLock: action(
    'bridgeLock',
    'bundleableGeneral',
    {
      to: address('to'),
      amount: amount('amount'),
      asset: denom('asset'),
      feeAsset: denom('feeAsset'),
      destination: text('destinationChainAddress'),
    },
    ({ to }) => [to.account],
  ),
  /** Pays a withdrawal of a rollup to an account. */
  bridgeUnlock: action(
    'bridgeUnlock',
    'bundleableGeneral',
    {
      to: address('to'),
      amount: amount('amount'),
      feeAsset: denom('feeAsset'),
      memo: text('memo'),
      bridge: address('bridgeAddress'),
      rollupBlockNumber: number('rollupBlockNumber'),
      withdrawalEvent: text('rollupWithdrawalEventId'),
    },
    ({ to, bridge }) => [to.account, bridge.account],
  ),
  /** Pays a withdrawal of a rollup into another bridge account. */
  bridgeTransfer: action(
    'bridgeTransfer',
    'bundleableGeneral',
    {
      to: address('to'),
      amount: amount('amount'),
      feeAsset: denom('feeAsset'),
      destination: someText('destinationChainAddress'),
      bridge: address('bridgeAddress'),
      rollupBlockNumber: number('rollupBlockNumber'),
      withdrawalEvent: text('rollupWithdrawalEventId'),
    },
    ({ to, bridge }) => [to.account, bridge.account],
  ),
  ibc: unsupported('ibc', 'bundleableGeneral'),
  ics20Withdrawal: unsupported('ics20Withdrawal', 'bundleableGeneral'),
  validatorUpdate,
  /** Turns the signer's account into a bridge account. Sudo is the signer, if undefined; the withdrawer likewise. */
  initBridgeAccount: action('initBridgeAccount', 'unbundleableGeneral', {
    rollup: rollup('rollupId'),
    asset: denom('asset'),
    feeAsset: denom('feeAsset'),
    sudo: optionalAddress('sudoAddress'),
    withdrawer: optionalAddress('withdrawerAddress'),
  }),
  /** Changes the keys of a bridge account, and whether it accepts deposits. */
  bridgeSudoChange: action(
    'bridgeSudoChange',
    'unbundleableGeneral',
    {
      bridge: address('bridgeAddress'),
      newSudo: optionalAddress('newSudoAddress'),
      newWithdrawer: optionalAddress('newWithdrawerAddress'),
      feeAsset: denom('feeAsset'),
      disableDeposits: flag('disableDeposits'),
    },
    ({ bridge }) => [bridge.account],
  ),
  ibcRelayerChange: unsupported('ibcRelayerChange', 'bundleableSudo'),
  feeChange,
  feeAssetChange,
  recoverIbcClient: unsupported('recoverIbcClient', 'bundleableSudo'),
  currencyPairsChange: unsupported('currencyPairsChange', 'bundleableSudo'),
  marketsChange: unsupported('marketsChange', 'bundleableSudo'),
  /** Names the account with authority over the chain's settings. */
  sudoAddressChange: action('sudoAddressChange', 'unbundleableSudo', { newAddress: address('newAddress') }),
  ibcSudoChange: unsupported('ibcSudoChange', 'unbundleableSudo'),
} satisfies { readonly [K in ActionKind]: Pick<ActionDefinition<NamedAction<K>>, 'group' | 'fromWire'> };

type Definitions = typeof DEFINITIONS;

export type ActionOf<K extends ActionKind> = { readonly [Kind in K]: ReturnType<Definitions[Kind]['fromWire']> }[K];

export type Action = ActionOf<ActionKind>;

/** Kinds that are recognised by name only, so that a refusal can name them. */
export type UnsupportedKind = {
  readonly [K in ActionKind]: Definitions[K] extends UnsupportedDefinition<K> ? K : never;
}[ActionKind];

export type SupportedAction = ActionOf<Exclude<ActionKind, UnsupportedKind>>;

// The keys of the table are exactly the kinds.
export const ACTION_KINDS = Object.keys(DEFINITIONS) as readonly ActionKind[];

/** The definition of this very action. */
export function getDefinition(action: Action): ActionDefinition<Action> {
  // The table pairs each kind with its own definition, which TypeScript cannot follow through the index.
  return DEFINITIONS[action.kind] as unknown as ActionDefinition<Action>;
}
