import { type Submitted, sequencerClient, submitAndWait } from '@switchyard/client';
import { createSigner, fromHex, parseAnyAddress, parseDenom, rollupIdFromName } from '@switchyard/protocol';
import type { Links } from '@switchyard/service';
import { alice, type DevAccount } from './accounts/accounts.ts';

/** A deposit through the bridge of a rollup. */
export interface Deposit<Rollup extends string = string> {
  readonly rollup: Rollup;
  /** Account of the rollup: bech32m for a messenger, 0x for an EVM. */
  readonly to: string;
  /** In the smallest unit of the sequencer's asset. */
  readonly amount: bigint;
  /** Account that pays; alice, if absent. */
  readonly account?: DevAccount;
}

interface Bridge {
  readonly rpcUrl: string;
  readonly chainId: string;
  readonly asset: string;
  readonly bridge: DevAccount;
  /** Servers of this process. */
  readonly links?: Links;
}

/** Makes the bridge account one where it is none yet, and locks the amount. Resolves when it is in a block. */
export async function makeDeposit(
  { rollup, to, amount, account = alice }: Deposit,
  { rpcUrl, chainId, asset: denom, bridge, links }: Bridge,
): Promise<Submitted> {
  const sequencer = sequencerClient({ rpcUrl, links });
  const asset = parseDenom(denom);
  const by = (signer: DevAccount) => createSigner(fromHex(signer.key));
  const submit = { pollMs: 10 };
  try {
    if ((await sequencer.bridgeAccount(bridge.address)) === undefined) {
      const id = rollupIdFromName(rollup);
      const action = { kind: 'initBridgeAccount', rollup: id, asset, feeAsset: asset } as const;
      const actions = [{ ...action, sudo: undefined, withdrawer: undefined }];
      await submitAndWait(sequencer, by(bridge), { chainId, actions }, submit);
    }
    const lock = { kind: 'bridgeLock', to: parseAnyAddress(bridge.address), amount, destination: to } as const;
    return await submitAndWait(
      sequencer,
      by(account),
      { chainId, actions: [{ ...lock, asset, feeAsset: asset }] },
      submit,
    );
  } finally {
    sequencer.close();
  }
}
