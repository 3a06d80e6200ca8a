import { mkdirSync } from 'node:fs';
import { readSigningKey, sequencerClient } from '@switchyard/client';
import { type AccountId, createSigner, formatAddress } from '@switchyard/protocol';
import {
  healthRoutes,
  isLoopbackHost,
  ownListener,
  type ProcessContext,
  scrub,
  serveHttp,
  systemClock,
  systemRandom,
} from '@switchyard/service';
import { StoreScrub } from '@switchyard/storage';
import { fields, type WithdrawerConfig } from './config.ts';
import type { BalanceSheet, WithdrawerStatus } from './contract.ts';
import { evmSource } from './evm-source.ts';
import { frameworkSource } from './framework-source.ts';
import { Ledger } from './ledger.ts';
import { observe } from './metrics.ts';
import type { Sheet } from './plan.ts';
import { withRoutes } from './routes.ts';
import { payingAccount } from './sequencer.ts';
import type { RollupSource } from './source.ts';
import { Withdrawer } from './withdrawer.ts';

/** Builds the parts and returns; the work continues in the background. */
export async function runWithdrawer(config: WithdrawerConfig, context: ProcessContext): Promise<void> {
  const { log, metrics, links, signal, defer, background, fail } = context;
  const { sequencerChainId, sequencerAddressPrefix: prefix } = config;
  const signer = createSigner(readSigningKey(fields, config, 'ed25519', [config.sequencerAbciEndpoint], log));
  const bridge = config.bridgeAddress ?? { account: signer.account, address: formatAddress(signer.account, prefix) };
  const client = sequencerClient({
    ...{ rpcUrl: config.sequencerAbciEndpoint, grpcUrl: config.sequencerGrpcEndpoint, links },
  });
  defer(() => client.close());
  const account = payingAccount(client, {
    ...{ signer, bridge: bridge.address, prefix, chainId: sequencerChainId },
    ...{ feeAsset: config.feeAsset, allowSudo: config.allowDevKey || isLocal(config) },
  });
  // Accounts of users are in it.
  mkdirSync(config.dbFilepath, { recursive: true, mode: 0o700 });
  const ledger = new Ledger(config.dbFilepath, fail);
  defer(() => ledger.close());
  const withdrawer = new Withdrawer({
    ...{
      source: getSource(config, bridge.account, context),
      account,
      ledger,
      bridge: bridge.address,
      sequencerChainId,
    },
    ...{ level: config.commitment, pollMs: config.pollMs, clock: systemClock, random: systemRandom, log, signal },
  });
  observe(metrics, ledger, withdrawer);

  const statusNow = (): WithdrawerStatus => ({
    bridge: bridge.address,
    asset: withdrawer.asset ?? null,
    account: account.address,
    rollup: ledger.origin?.rollup ?? null,
    sequencerChainId,
    commitment: config.commitment,
    withdrawals: ledger.read.count,
    open: ledger.open.size,
    held: withdrawer.held,
    paid: ledger.paid.count,
    paidSum: String(ledger.paid.sum),
    sheet: withdrawer.sheet === undefined ? null : inDigits(withdrawer.sheet),
    trouble: withdrawer.trouble ?? null,
  });

  const app = healthRoutes({
    ready: () => ({
      ok: withdrawer.trouble === undefined && withdrawer.sheet?.isBalanced !== false,
      reason: withdrawer.trouble ?? 'the bridge account holds less than it owes',
      ...(withdrawer.trouble === undefined && withdrawer.asset === undefined && { note: NO_BRIDGE }),
    }),
    status: () => ({ pid: process.pid, ...statusNow() }),
    metrics,
  });
  const api = await serveHttp({
    ...ownListener(fields, config, 'apiListenAddr', context),
    app: withRoutes(app, ledger, withdrawer),
  });
  defer(() => api.close());
  log.info({ api: api.url, bridge: bridge.address, account: account.address }, 'withdrawer listening');
  background(scrub([new StoreScrub(config.dbFilepath, 'withdrawer-ledger')], config.scrubBytesPerSecond, context));
  background(withdrawer.run());
}

const NO_BRIDGE = 'the bridge account is not initialized yet';

/** Amounts of 128 bits are decimal digits in all answers. */
function inDigits(sheet: Sheet): BalanceSheet {
  const { height, isBalanced, locked, minted, unpaid, uncovered, arriving, uncredited, surplus } = sheet;
  return {
    ...{ height, isBalanced, locked: String(locked), minted: String(minted), unpaid: String(unpaid) },
    ...{ uncovered: String(uncovered), arriving: String(arriving) },
    ...{ uncredited: String(uncredited), surplus: String(surplus) },
  };
}

function getSource(config: WithdrawerConfig, bridge: AccountId, { links }: ProcessContext): RollupSource {
  const { kind, rollupUrl: url, contract } = config;
  const fetch = links?.fetch;
  return kind === 'evm' ? evmSource({ url, bridge, contract, links, fetch }) : frameworkSource({ url, bridge, fetch });
}

const isLocal = ({ sequencerAbciEndpoint }: WithdrawerConfig) =>
  isLoopbackHost(new URL(sequencerAbciEndpoint).hostname);
