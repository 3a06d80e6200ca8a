import type { Action, ActionKind } from '@switchyard/protocol';
import { bridgeLock } from './bridge-lock.ts';
import { bridgeSudoChange } from './bridge-sudo-change.ts';
import { bridgeTransfer } from './bridge-transfer.ts';
import { bridgeUnlock } from './bridge-unlock.ts';
import { feeAssetChange } from './fee-asset-change.ts';
import { feeChange } from './fee-change.ts';
import type { SequencerHandler } from './handler.ts';
import { initBridgeAccount } from './init-bridge-account.ts';
import { rollupDataSubmission } from './rollup-data-submission.ts';
import { sudoAddressChange } from './sudo-address-change.ts';
import { transferAction } from './transfer.ts';
import { unsupported } from './unsupported.ts';
import { validatorUpdate } from './validator-update.ts';

/** One handler for each kind of action on the wire: a new kind does not compile until it has one. */
export const handlers: { readonly [K in ActionKind]: SequencerHandler<K> } = {
  transfer: transferAction,
  rollupDataSubmission,
  initBridgeAccount,
  bridgeLock,
  bridgeUnlock,
  bridgeTransfer,
  bridgeSudoChange,
  sudoAddressChange,
  validatorUpdate,
  feeChange,
  feeAssetChange,
  ibc: unsupported('ibc'),
  ics20Withdrawal: unsupported('ics20Withdrawal'),
  ibcRelayerChange: unsupported('ibcRelayerChange'),
  ibcSudoChange: unsupported('ibcSudoChange'),
  recoverIbcClient: unsupported('recoverIbcClient'),
  currencyPairsChange: unsupported('currencyPairsChange'),
  marketsChange: unsupported('marketsChange'),
};

/** The handler of an action. */
export function handlerFor(action: Action): SequencerHandler<ActionKind> {
  // The registry pairs each kind with its own handler, which TypeScript cannot follow through the index.
  return handlers[action.kind] as unknown as SequencerHandler<ActionKind>;
}
