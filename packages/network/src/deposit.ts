import { type Submitted, sequencerClient, submitAndWait } from '@switchyard/client';
import {
  type Action,
  createSigner,
  fromHex,
  parseAnyAddress,
  parseDenom,
  rollupIdFromName,
} from '@switchyard/protocol';
import type { Links } from '@switchyard/service';
import { alice, type DevAccount } from './accounts/accounts.ts';
import type { Bridge } from './accounts/bridges.ts';
import { BadOptions } from './bad-options.ts';

/** A deposit through the bridge of a rollup. */
export interface Deposit<Rollup extends string = string> {
  readonly rollup: Rollup;
  /** Account of the rollup: bech32m for a messenger, 0x for an EVM. */
  readonly to: string;
  /** In the smallest unit of the asset. */
  readonly amount: bigint;
  /** Asset of a bridge account of the rollup; the network's, or that of the only bridge account, if absent. */
  readonly asset?: string;
  /** Account that pays; alice, if absent. */
  readonly account?: DevAccount;
}

interface BridgeFacts {
  readonly rpcUrl: string;
  readonly chainId: string;
  /** Asset that pays the fees. */
  readonly feeAsset: string;
  readonly bridges: readonly Bridge[] | undefined;
  /** Servers of this process. */
  readonly links?: Links;
}

/** Makes the account a bridge account if necessary, and locks the amount. Resolves when it is in a block. @throws {BadOptions} */
export async function makeDeposit(deposit: Deposit, facts: BridgeFacts): Promise<Submitted> {
  const { rollup, to, amount, account = alice } = deposit;
  const { rpcUrl, chainId, feeAsset, links } = facts;
  const bridge = bridgeFor(deposit, facts);
  const sequencer = sequencerClient({ rpcUrl, links });
  const assets = { asset: parseDenom(bridge.asset), feeAsset: parseDenom(feeAsset) };
  const submit = ({ key }: DevAccount, action: Action) =>
    submitAndWait(sequencer, createSigner(fromHex(key)), { chainId, actions: [action] }, { pollMs: 10 });
  if ((await sequencer.bridgeAccount(bridge.address)) === undefined) {
    const action = { kind: 'initBridgeAccount', rollup: rollupIdFromName(rollup), ...assets } as const;
    await submit(bridge, { ...action, sudo: undefined, withdrawer: undefined });
  }
  const lock = { kind: 'bridgeLock', to: parseAnyAddress(bridge.address), amount, destination: to } as const;
  return submit(account, { ...lock, ...assets });
}

function bridgeFor({ rollup, asset }: Deposit, { bridges, feeAsset }: BridgeFacts): Bridge {
  if (bridges === undefined) throw new Error(`there is no rollup ${rollup}`);
  const { id, text } = parseDenom(asset ?? (bridges.length === 1 ? bridges[0]?.asset : undefined) ?? feeAsset);
  const found = bridges.find((each) => parseDenom(each.asset).id === id);
  if (found !== undefined) return found;
  const assets = bridges.map((each) => each.asset).join(', ');
  throw new BadOptions(`deposit.asset: the genesis of ${rollup} has no bridge account of ${text}: expected ${assets}`);
}
