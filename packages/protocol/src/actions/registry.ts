/**
 * Every kind of action, in one table. A kind of the wire's union that has no entry here does not compile; how to add one
 * is described in docs/how-to/add-actions-and-queries.md.
 */
import { bridgeLock } from './bridge-lock.ts';
import { bridgeSudoChange } from './bridge-sudo-change.ts';
import { bridgeTransfer } from './bridge-transfer.ts';
import { bridgeUnlock } from './bridge-unlock.ts';
import type { ActionDefinition, ActionKind, NamedAction, UnsupportedDefinition } from './definition.ts';
import { feeAssetChange } from './fee-asset-change.ts';
import { feeChange } from './fee-change.ts';
import { initBridgeAccount } from './init-bridge-account.ts';
import { rollupDataSubmission } from './rollup-data-submission.ts';
import { sudoAddressChange } from './sudo-address-change.ts';
import { transfer } from './transfer.ts';
import { unsupported } from './unsupported.ts';
import { validatorUpdate } from './validator-update.ts';

export const DEFINITIONS = {
  transfer,
  rollupDataSubmission,
  bridgeLock,
  bridgeUnlock,
  bridgeTransfer,
  ibc: unsupported('ibc', 'bundleableGeneral'),
  ics20Withdrawal: unsupported('ics20Withdrawal', 'bundleableGeneral'),
  validatorUpdate,
  initBridgeAccount,
  bridgeSudoChange,
  ibcRelayerChange: unsupported('ibcRelayerChange', 'bundleableSudo'),
  feeChange,
  feeAssetChange,
  recoverIbcClient: unsupported('recoverIbcClient', 'bundleableSudo'),
  currencyPairsChange: unsupported('currencyPairsChange', 'bundleableSudo'),
  marketsChange: unsupported('marketsChange', 'bundleableSudo'),
  sudoAddressChange,
  ibcSudoChange: unsupported('ibcSudoChange', 'unbundleableSudo'),
} satisfies { readonly [K in ActionKind]: Pick<ActionDefinition<NamedAction<K>>, 'group' | 'fromWire'> };

type Definitions = typeof DEFINITIONS;

/** The action of a kind. */
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
export function definitionOf(action: Action): ActionDefinition<Action> {
  // The table pairs each kind with its own definition, which TypeScript cannot follow through the index.
  return DEFINITIONS[action.kind] as unknown as ActionDefinition<Action>;
}
