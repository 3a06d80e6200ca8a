/**
 * Everything a sequencer transaction can ask for. The kinds are those of the wire's union, by the same names, so a new
 * member of the union does not compile until it has an entry here and in `action-wire.ts`.
 */
import type { Address } from './address.ts';
import type { Denom } from './asset.ts';
import { Rejected } from './errors.ts';
import { ActionSchema, type Action as WireAction } from './gen/astria/protocol/transaction/v1/transaction_pb.ts';
import type { RollupId } from './ids.ts';

export type ActionKind = NonNullable<WireAction['value']['case']>;

export interface Transfer {
  readonly kind: 'transfer';
  readonly to: Address;
  readonly amount: bigint;
  readonly asset: Denom;
  readonly feeAsset: Denom;
}

export interface RollupDataSubmission {
  readonly kind: 'rollupDataSubmission';
  readonly rollup: RollupId;
  /** Empty data decodes, and is refused by the action's check. */
  readonly data: Uint8Array;
  readonly feeAsset: Denom;
}

export interface InitBridgeAccount {
  readonly kind: 'initBridgeAccount';
  readonly rollup: RollupId;
  readonly asset: Denom;
  readonly feeAsset: Denom;
  /** The signer, if undefined; the withdrawer likewise. */
  readonly sudo: Address | undefined;
  readonly withdrawer: Address | undefined;
}

export interface BridgeLock {
  readonly kind: 'bridgeLock';
  readonly to: Address;
  readonly amount: bigint;
  readonly asset: Denom;
  readonly feeAsset: Denom;
  readonly destination: string;
}

export interface BridgeUnlock {
  readonly kind: 'bridgeUnlock';
  readonly to: Address;
  readonly amount: bigint;
  readonly feeAsset: Denom;
  readonly memo: string;
  readonly bridge: Address;
  readonly rollupBlockNumber: bigint;
  readonly withdrawalEvent: string;
}

export interface BridgeTransfer {
  readonly kind: 'bridgeTransfer';
  readonly to: Address;
  readonly amount: bigint;
  readonly feeAsset: Denom;
  readonly destination: string;
  readonly bridge: Address;
  readonly rollupBlockNumber: bigint;
  readonly withdrawalEvent: string;
}

export interface BridgeSudoChange {
  readonly kind: 'bridgeSudoChange';
  readonly bridge: Address;
  readonly newSudo: Address | undefined;
  readonly newWithdrawer: Address | undefined;
  readonly feeAsset: Denom;
  readonly disableDeposits: boolean;
}

export interface SudoAddressChange {
  readonly kind: 'sudoAddressChange';
  readonly newAddress: Address;
}

export interface ValidatorUpdate {
  readonly kind: 'validatorUpdate';
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 0 removes the validator; below 2^32. */
  readonly power: bigint;
  readonly name: string;
}

export interface FeeChange {
  readonly kind: 'feeChange';
  /** The kind of action whose price changes. */
  readonly action: ActionKind;
  readonly base: bigint;
  readonly multiplier: bigint;
}

export interface FeeAssetChange {
  readonly kind: 'feeAssetChange';
  readonly change: 'addition' | 'removal';
  readonly asset: Denom;
}

/** Recognised by name only, so that the refusal can say what was asked for. */
export interface UnsupportedAction {
  readonly kind: UnsupportedKind;
}

export type UnsupportedKind =
  | 'ibc'
  | 'ics20Withdrawal'
  | 'ibcRelayerChange'
  | 'ibcSudoChange'
  | 'recoverIbcClient'
  | 'currencyPairsChange'
  | 'marketsChange';

export type SupportedAction =
  | Transfer
  | RollupDataSubmission
  | InitBridgeAccount
  | BridgeLock
  | BridgeUnlock
  | BridgeTransfer
  | BridgeSudoChange
  | SudoAddressChange
  | ValidatorUpdate
  | FeeChange
  | FeeAssetChange;

export type Action = SupportedAction | UnsupportedAction;

export type ActionOf<K extends ActionKind> = K extends UnsupportedKind
  ? { readonly kind: K }
  : Extract<SupportedAction, { readonly kind: K }>;

/** All actions of a transaction are of one group; the unbundleable groups allow one action. */
export type Group = 'bundleableGeneral' | 'unbundleableGeneral' | 'bundleableSudo' | 'unbundleableSudo';

/** Inside a block, transactions stand in order of falling rank. */
export const GROUP_RANK: Readonly<Record<Group, number>> = {
  bundleableGeneral: 4,
  unbundleableGeneral: 3,
  bundleableSudo: 2,
  unbundleableSudo: 1,
};

export const ACTION_GROUPS: Readonly<Record<ActionKind, Group>> = {
  transfer: 'bundleableGeneral',
  rollupDataSubmission: 'bundleableGeneral',
  bridgeLock: 'bundleableGeneral',
  bridgeUnlock: 'bundleableGeneral',
  bridgeTransfer: 'bundleableGeneral',
  ibc: 'bundleableGeneral',
  ics20Withdrawal: 'bundleableGeneral',
  // General although only the sudo account may send it: so the wire has it.
  validatorUpdate: 'bundleableGeneral',
  initBridgeAccount: 'unbundleableGeneral',
  bridgeSudoChange: 'unbundleableGeneral',
  ibcRelayerChange: 'bundleableSudo',
  feeChange: 'bundleableSudo',
  feeAssetChange: 'bundleableSudo',
  recoverIbcClient: 'bundleableSudo',
  currencyPairsChange: 'bundleableSudo',
  marketsChange: 'bundleableSudo',
  sudoAddressChange: 'unbundleableSudo',
  ibcSudoChange: 'unbundleableSudo',
};

/** @throws {Rejected} `malformed` without actions, `group-mismatch` for actions that may not stand together. */
export function groupOf(actions: readonly Action[]): Group {
  const [first] = actions;
  if (first === undefined) throw new Rejected('malformed', { part: 'actions', expected: 'at least one' });
  const group = ACTION_GROUPS[first.kind];
  for (const { kind } of actions) {
    if (ACTION_GROUPS[kind] !== group) throw new Rejected('group-mismatch', { first: first.kind, other: kind });
  }
  if (actions.length > 1 && group.startsWith('unbundleable')) {
    throw new Rejected('group-mismatch', {
      action: first.kind,
      expected: 'alone in its transaction',
      got: actions.length,
    });
  }
  return group;
}

const protoNames = new Map(
  ActionSchema.oneofs.flatMap(({ fields }) => fields).map((field) => [field.localName, field]),
);

/** The full protobuf name of an action's message, as fee events carry it. */
export function protoNameOf(kind: ActionKind): string {
  const name = protoNames.get(kind)?.message?.typeName;
  if (name === undefined) throw new Error(`action ${kind} has no message`);
  return name;
}
