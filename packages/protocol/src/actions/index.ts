export type { ActionKind } from './definition.ts';
export { actionOfFee, type FeeName, getFeeName } from './fee-name.ts';
export { GROUP_RANK, type Group } from './group.ts';
export { ACTION_KINDS, type Action, type ActionOf, type SupportedAction, type UnsupportedKind } from './registry.ts';
export { getGroup, touchedAccounts } from './rules.ts';
export { actionFromWire, actionToWire, toProtoName } from './wire.ts';
