/** Parts of definitions that other packages of Switchyard build on. They change with any version. Nothing of Node is loaded. */
export { checkWithdrawal, MAX_WITHDRAWAL_MEMO_BYTES } from './app/withdrawals.ts';
export type { Contract } from './define/contract.ts';
export { type Actions, type AnyRollup, definitionIn, type Parameters, type Queries } from './define/definition.ts';
export type { Events } from './define/events.ts';
export type { BodyOf } from './define/transaction.ts';
export { type UpgradePlan, upgradePlan } from './define/upgrade-plan.ts';
export { wireEncoder } from './define/wire-body.ts';
export { wireDecoder } from './define/wire-decoder.ts';
