import { type Action, type ActionKind, Rejected, toProtoName } from '@switchyard/protocol';
import { feeAssetChange, feeChange, sudoAddressChange, validatorUpdate } from './authority.ts';
import { bridgeLock, bridgeSudoChange, bridgeTransfer, bridgeUnlock, initBridgeAccount } from './bridge.ts';
import { type SequencerHandler, sequencerHandler } from './handler.ts';
import { rollupDataSubmission } from './rollup-data-submission.ts';
import { transferAction } from './transfer.ts';

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

export function handlerFor(action: Action): SequencerHandler<ActionKind> {
  // The registry pairs each kind with its own handler, which TypeScript cannot follow through the index.
  return handlers[action.kind] as unknown as SequencerHandler<ActionKind>;
}

/** An action that the wire knows and this chain does not run. It is refused by its name, wherever it turns up. */
function unsupported<K extends ActionKind>(kind: K): SequencerHandler<K> {
  const refuse = (): never => {
    throw new Rejected('unsupported-action', { action: toProtoName(kind) });
  };
  return sequencerHandler<K>({ check: refuse, verify: refuse, apply: refuse });
}
