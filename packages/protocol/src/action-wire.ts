/** Actions from and to generated messages. What may be absent, and what it then means, is decided here. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Action, ActionKind, ActionOf, SupportedAction, UnsupportedKind } from './action.ts';
import { type Address, formatAddress, parseAnyAddress } from './address.ts';
import { parseDenom } from './asset.ts';
import { Rejected } from './errors.ts';
import type { Address as WireAddress, RollupId as WireRollupId } from './gen/astria/primitive/v1/types_pb.ts';
import {
  ActionSchema,
  type Action as WireAction,
  type FeeChange as WireFeeChange,
} from './gen/astria/protocol/transaction/v1/transaction_pb.ts';
import { type RollupId, rollupIdBytes, rollupIdFromBytes } from './ids.ts';
import { PUBLIC_KEY_LENGTH } from './keys.ts';
import { u128FromWire, u128ToWire } from './uint128.ts';

type WireCase<K extends ActionKind> = Extract<WireAction['value'], { case: K }>;
type Init<K extends ActionKind> = Extract<
  NonNullable<MessageInitShape<typeof ActionSchema>['value']>,
  { case: K; value: unknown }
>['value'];

interface Conversion<K extends SupportedAction['kind']> {
  fromWire(message: WireCase<K>['value']): Omit<ActionOf<K>, 'kind'>;
  toWire(action: ActionOf<K>): Init<K>;
}

/** @throws {Rejected} `malformed` for what is absent, of the wrong length or not parseable. */
export function actionFromWire({ value: wire }: WireAction): Action {
  if (wire.case === undefined) throw new Rejected('malformed', { part: 'action', expected: 'a known kind' });
  if (isUnsupported(wire.case)) return { kind: wire.case };
  // Key and value belong together, which the compiler cannot follow through the lookup.
  const conversion = conversions[wire.case] as Conversion<'transfer'>;
  return { kind: wire.case, ...conversion.fromWire(wire.value as WireCase<'transfer'>['value']) } as SupportedAction;
}

/** @throws {Rejected} `unsupported-action` for what is known by name only. */
export function actionToWire(action: Action): WireAction {
  if (isUnsupported(action.kind)) throw new Rejected('unsupported-action', { action: action.kind });
  const conversion = conversions[action.kind] as Conversion<'transfer'>; // as above
  const value = conversion.toWire(action as ActionOf<'transfer'>);
  return create(ActionSchema, { value: { case: action.kind as 'transfer', value } });
}

const UNSUPPORTED: Readonly<Record<UnsupportedKind, true>> = {
  ibc: true,
  ics20Withdrawal: true,
  ibcRelayerChange: true,
  ibcSudoChange: true,
  recoverIbcClient: true,
  currencyPairsChange: true,
  marketsChange: true,
};

function isUnsupported(kind: ActionKind): kind is UnsupportedKind {
  return Object.hasOwn(UNSUPPORTED, kind);
}

const conversions: { readonly [K in SupportedAction['kind']]: Conversion<K> } = {
  transfer: {
    fromWire: ({ to, amount, asset, feeAsset }) => ({
      to: addressFromWire('to', to),
      amount: u128FromWire(amount),
      asset: parseDenom(asset),
      feeAsset: parseDenom(feeAsset),
    }),
    toWire: ({ to, amount, asset, feeAsset }) => ({
      to: addressToWire(to),
      amount: u128ToWire(amount),
      asset: asset.text,
      feeAsset: feeAsset.text,
    }),
  },
  rollupDataSubmission: {
    fromWire: ({ rollupId, data, feeAsset }) => ({
      rollup: rollupFromWire(rollupId),
      data,
      feeAsset: parseDenom(feeAsset),
    }),
    toWire: ({ rollup, data, feeAsset }) => ({ rollupId: rollupToWire(rollup), data, feeAsset: feeAsset.text }),
  },
  initBridgeAccount: {
    fromWire: ({ rollupId, asset, feeAsset, sudoAddress, withdrawerAddress }) => ({
      rollup: rollupFromWire(rollupId),
      asset: parseDenom(asset),
      feeAsset: parseDenom(feeAsset),
      sudo: optionalFromWire(sudoAddress),
      withdrawer: optionalFromWire(withdrawerAddress),
    }),
    toWire: ({ rollup, asset, feeAsset, sudo, withdrawer }) => ({
      rollupId: rollupToWire(rollup),
      asset: asset.text,
      feeAsset: feeAsset.text,
      ...(sudo && { sudoAddress: addressToWire(sudo) }),
      ...(withdrawer && { withdrawerAddress: addressToWire(withdrawer) }),
    }),
  },
  bridgeLock: {
    fromWire: ({ to, amount, asset, feeAsset, destinationChainAddress }) => ({
      to: addressFromWire('to', to),
      amount: u128FromWire(present('amount', amount)),
      asset: parseDenom(asset),
      feeAsset: parseDenom(feeAsset),
      destination: destinationChainAddress,
    }),
    toWire: ({ to, amount, asset, feeAsset, destination }) => ({
      to: addressToWire(to),
      amount: u128ToWire(amount),
      asset: asset.text,
      feeAsset: feeAsset.text,
      destinationChainAddress: destination,
    }),
  },
  bridgeUnlock: {
    fromWire: ({ to, amount, feeAsset, memo, bridgeAddress, rollupBlockNumber, rollupWithdrawalEventId }) => ({
      to: addressFromWire('to', to),
      amount: u128FromWire(present('amount', amount)),
      feeAsset: parseDenom(feeAsset),
      memo,
      bridge: addressFromWire('bridge address', bridgeAddress),
      rollupBlockNumber,
      withdrawalEvent: rollupWithdrawalEventId,
    }),
    toWire: ({ to, amount, feeAsset, memo, bridge, rollupBlockNumber, withdrawalEvent }) => ({
      to: addressToWire(to),
      amount: u128ToWire(amount),
      feeAsset: feeAsset.text,
      memo,
      bridgeAddress: addressToWire(bridge),
      rollupBlockNumber,
      rollupWithdrawalEventId: withdrawalEvent,
    }),
  },
  bridgeTransfer: {
    fromWire: ({ to, amount, feeAsset, destinationChainAddress, bridgeAddress, ...event }) => {
      if (destinationChainAddress === '') throw absent('destination chain address');
      return {
        to: addressFromWire('to', to),
        amount: u128FromWire(present('amount', amount)),
        feeAsset: parseDenom(feeAsset),
        destination: destinationChainAddress,
        bridge: addressFromWire('bridge address', bridgeAddress),
        rollupBlockNumber: event.rollupBlockNumber,
        withdrawalEvent: event.rollupWithdrawalEventId,
      };
    },
    toWire: ({ to, amount, feeAsset, destination, bridge, rollupBlockNumber, withdrawalEvent }) => ({
      to: addressToWire(to),
      amount: u128ToWire(amount),
      feeAsset: feeAsset.text,
      destinationChainAddress: destination,
      bridgeAddress: addressToWire(bridge),
      rollupBlockNumber,
      rollupWithdrawalEventId: withdrawalEvent,
    }),
  },
  bridgeSudoChange: {
    fromWire: ({ bridgeAddress, newSudoAddress, newWithdrawerAddress, feeAsset, disableDeposits }) => ({
      bridge: addressFromWire('bridge address', bridgeAddress),
      newSudo: optionalFromWire(newSudoAddress),
      newWithdrawer: optionalFromWire(newWithdrawerAddress),
      feeAsset: parseDenom(feeAsset),
      disableDeposits,
    }),
    toWire: ({ bridge, newSudo, newWithdrawer, feeAsset, disableDeposits }) => ({
      bridgeAddress: addressToWire(bridge),
      ...(newSudo && { newSudoAddress: addressToWire(newSudo) }),
      ...(newWithdrawer && { newWithdrawerAddress: addressToWire(newWithdrawer) }),
      feeAsset: feeAsset.text,
      disableDeposits,
    }),
  },
  sudoAddressChange: {
    fromWire: ({ newAddress }) => ({ newAddress: addressFromWire('new address', newAddress) }),
    toWire: ({ newAddress }) => ({ newAddress: addressToWire(newAddress) }),
  },
  validatorUpdate: {
    fromWire: ({ pubKey, power, name }) => {
      const { sum } = present('public key', pubKey);
      if (sum.case !== 'ed25519' || sum.value.length !== PUBLIC_KEY_LENGTH) {
        throw new Rejected('malformed', { part: 'public key', expected: '32 bytes of ed25519' });
      }
      if (power < 0n || power > 0xffff_ffffn) {
        throw new Rejected('malformed', { part: 'power', expected: 'from 0 to 4294967295', got: power });
      }
      return { publicKey: sum.value, power, name };
    },
    toWire: ({ publicKey, power, name }) => ({ pubKey: { sum: { case: 'ed25519', value: publicKey } }, power, name }),
  },
  feeChange: {
    fromWire: ({ feeComponents: { case: name, value } }) => {
      if (name === undefined) throw absent('fee components');
      return {
        action: name === 'ibcRelay' ? 'ibc' : name,
        base: u128FromWire(present('base', value.base)),
        multiplier: u128FromWire(present('multiplier', value.multiplier)),
      };
    },
    toWire: ({ action, base, multiplier }) => ({
      feeComponents: {
        // All members of this union have the same two fields, so one stands for all.
        case: (action === 'ibc' ? 'ibcRelay' : action) as 'transfer' satisfies WireFeeChange['feeComponents']['case'],
        value: { base: u128ToWire(base), multiplier: u128ToWire(multiplier) },
      },
    }),
  },
  feeAssetChange: {
    fromWire: ({ value }) => {
      if (value.case === undefined) throw absent('change');
      return { change: value.case, asset: parseDenom(value.value) };
    },
    toWire: ({ change, asset }) => ({ value: { case: change, value: asset.text } }),
  },
};

const addressToWire = ({ account, prefix }: Address) => ({ bech32m: formatAddress(account, prefix) });
const rollupToWire = (rollup: RollupId) => ({ inner: rollupIdBytes(rollup) });
const rollupFromWire = (message: WireRollupId | undefined) => rollupIdFromBytes(present('rollup id', message).inner);

function addressFromWire(part: string, message: WireAddress | undefined): Address {
  return parseAnyAddress(present(part, message).bech32m);
}

function optionalFromWire(message: WireAddress | undefined): Address | undefined {
  return message && parseAnyAddress(message.bech32m);
}

function present<T>(part: string, value: T | undefined): T {
  if (value === undefined) throw absent(part);
  return value;
}

function absent(part: string): Rejected {
  return new Rejected('malformed', { part, expected: 'present' });
}
