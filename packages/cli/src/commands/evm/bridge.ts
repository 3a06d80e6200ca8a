import { type Denom, formatAddress, parseDenom, rollupIdFromName, type Signer } from '@switchyard/protocol';
import { Failure } from '@switchyard/service/failure';
import { addressArgument } from '../../arguments.ts';
import type { SequencerPort } from '../../connect.ts';
import { requireFunds } from '../../deployments/preflight/funds.ts';
import type { EvmBridge } from '../../dev/networks/evm-rollup.ts';

export const PREFIX = 'astria';

/** Parties and assets of a deposit, and the sequencer that executes it. */
export interface Setup {
  readonly sequencer: SequencerPort;
  readonly chainId: string;
  readonly rollupName: string;
  readonly bridge: EvmBridge;
  /** Pays fees. */
  readonly feeAsset: Denom;
  readonly payer: Signer;
  /** The bridge account's own; needed only once. */
  readonly bridgeSigner: Signer | undefined;
}

/**
 * Makes sure that the account which the rollup's genesis names is a bridge account of that rollup.
 *
 * @returns whether it was made one now.
 * @throws {Failure} when it belongs to another rollup or asset, or its key is not known.
 */
export async function ensureBridge(setup: Setup): Promise<boolean> {
  const { sequencer, rollupName, bridge, bridgeSigner, chainId, feeAsset } = setup;
  const rollup = rollupIdFromName(rollupName);
  const present = await sequencer.bridgeAccount(bridge.address);
  if (present !== undefined) {
    if (present.rollup !== rollup) {
      throw new Failure(
        `${bridge.address} is the bridge account of another rollup (${present.rollup}), expected ${rollup} of ${rollupName}`,
      );
    }
    if (parseDenom(present.asset).id !== parseDenom(bridge.asset).id) {
      throw new Failure(`${bridge.address} takes ${present.asset}, the rollup's genesis expects ${bridge.asset}`);
    }
    return false;
  }
  if (bridgeSigner === undefined) {
    throw new Failure(
      `${bridge.address} is no bridge account yet, and its key is needed once: give --bridge-private-key-file PATH`,
    );
  }
  const own = formatAddress(bridgeSigner.account, PREFIX);
  if (own !== bridge.address)
    throw new Failure(`--bridge-private-key-file: the key of ${own}, expected that of ${bridge.address}`);
  const action = { kind: 'initBridgeAccount', rollup, asset: parseDenom(bridge.asset), feeAsset } as const;
  const transaction = { chainId, actions: [{ ...action, sudo: undefined, withdrawer: undefined }] };
  await provideFee(setup, await sequencer.fees(transaction));
  await sequencer.submitAndWait(bridgeSigner, transaction, PREFIX);
  return true;
}

/** Sends the bridge account the missing part of its first fee. */
async function provideFee(
  { sequencer, chainId, bridge, feeAsset, payer }: Setup,
  fees: Awaited<ReturnType<SequencerPort['fees']>>,
): Promise<void> {
  const ofFee = ({ asset }: { readonly asset: string }) => parseDenom(asset).id === feeAsset.id;
  const needed = fees.filter(ofFee).reduce((sum, { amount }) => sum + amount, 0n);
  const held = (await sequencer.balances(bridge.address)).find(ofFee)?.amount ?? 0n;
  if (held >= needed) return;
  const to = addressArgument('the bridge account', bridge.address, PREFIX);
  const transfer = { kind: 'transfer', to, amount: needed - held, asset: feeAsset, feeAsset } as const;
  const transaction = { chainId, actions: [transfer] };
  await requireFunds(sequencer, formatAddress(payer.account, PREFIX), transaction);
  await sequencer.submitAndWait(payer, transaction, PREFIX);
}
