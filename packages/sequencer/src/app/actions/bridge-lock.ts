import { transfer } from '@switchyard/machine';
import { Rejected } from '@switchyard/protocol';
import { announceDeposit } from '../deposits.ts';
import { fullName } from '../tables/assets.ts';
import { bridgeOf, mustNotBeBridge } from '../tables/bridge.ts';
import { mustHavePrefix } from '../tables/chain.ts';
import { sequencerHandler } from './handler.ts';

/** Size of a deposit besides its two texts, as the wire counts it. */
const DEPOSIT_BASE_BYTES = 16;

/** Escrows an amount in a bridge account and announces it as a deposit to the bridge's rollup. */
export const bridgeLock = sequencerHandler<'bridgeLock'>({
  verify({ to, asset }, { state, signer }) {
    mustHavePrefix(state, to);
    const bridge = bridgeOf(state, to.account);
    if (bridge.asset !== asset.id) throw new Rejected('wrong-asset', { expected: bridge.asset, got: asset.id });
    if (bridge.depositsDisabled) throw new Rejected('deposits-disabled', { bridge: to.account });
    mustNotBeBridge(state, signer);
  },

  charges: ({ asset, amount }, { signer }) => [{ account: signer, asset: asset.id, amount }],

  feeUnits: ({ asset, destination }) => BigInt(asset.text.length + Buffer.byteLength(destination) + DEPOSIT_BASE_BYTES),

  apply({ to, asset, amount, destination }, context) {
    const { state, signer } = context;
    const name = fullName(state, asset);
    transfer(state, signer, to.account, asset.id, amount);
    announceDeposit({ bridge: to.account, asset: name, amount, destination }, context);
  },
});
