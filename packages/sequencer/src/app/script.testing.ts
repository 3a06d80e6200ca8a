import { type Action, rollupIdFromName, type Signer } from '@switchyard/protocol';
import {
  address,
  alice,
  bob,
  bridge,
  data,
  initBridge,
  lock,
  NRIA,
  NTIA,
  pauper,
  sudo,
  transfer,
  unlock,
} from './testing.ts';

const SECOND = rollupIdFromName('second');

const bridgeTransfer = (withdrawalEvent: string): Action => ({
  kind: 'bridgeTransfer',
  to: address(pauper),
  amount: 10n,
  feeAsset: NRIA,
  destination: '0xdef',
  bridge: address(bridge),
  rollupBlockNumber: 1n,
  withdrawalEvent,
});

const sudoChange: Action = {
  kind: 'bridgeSudoChange',
  bridge: address(bridge),
  newSudo: address(alice),
  newWithdrawer: undefined,
  feeAsset: NRIA,
  disableDeposits: true,
};

/** Every kind of action, block by block, in an order in which each of them works. */
export const SCRIPT: readonly (readonly (readonly [Signer, readonly Action[]])[])[] = [
  [
    [alice, [data('hello'), data('there', SECOND), transfer(bob, 5n), transfer(pauper, 48n)]],
    [bridge, [initBridge({ withdrawer: address(alice) })]],
    [sudo, [{ kind: 'feeAssetChange', change: 'addition', asset: NTIA }]],
  ],
  [
    [bob, [lock(100n), data('after the lock')]],
    [pauper, [initBridge({ rollup: SECOND })]],
    [sudo, [{ kind: 'feeChange', action: 'transfer', base: 3n, multiplier: 0n }]],
  ],
  [
    [alice, [unlock(30n, 'w1'), bridgeTransfer('w2')]],
    [sudo, [{ kind: 'validatorUpdate', publicKey: alice.publicKey, power: 3n, name: 'alice' }]],
  ],
  [
    [alice, [bridgeTransfer('w3')]],
    [bridge, [sudoChange]],
    [sudo, [{ kind: 'sudoAddressChange', newAddress: address(bob) }]],
  ],
  [[alice, [data('after all of it')]]],
];
