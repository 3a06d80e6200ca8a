export type { ActionKind } from './definition.ts';
export { actionOfFee, type FeeName, feeNameOf } from './fee-name.ts';
export { GROUP_RANK, type Group } from './group.ts';
export { ACTION_KINDS, type Action, type ActionOf, type SupportedAction, type UnsupportedKind } from './registry.ts';
export { groupOf, touchedAccounts } from './rules.ts';
export { actionFromWire, actionToWire, protoNameOf } from './wire.ts';
