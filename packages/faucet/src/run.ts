import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readSigningKey } from '@switchyard/client';
import { isDevelopmentKey } from '@switchyard/protocol';
import {
  healthRoutes,
  httpApp,
  isLoopbackHost,
  operatorAccess,
  type ProcessContext,
  pageAccess,
  pageRoutes,
  scrub,
  serveHttp,
  systemClock,
  systemRandom,
  wallClock,
} from '@switchyard/service';
import { explorerIn } from '@switchyard/service/settings';
import { StoreFile, StoreScrub } from '@switchyard/storage';
import { ClaimService, observe } from './claim-service.ts';
import { type FaucetConfig, fields, getCoin, PREFIX } from './config.ts';
import { createPayer, nodeUrl } from './create-payer.ts';
import { faucetRoutes } from './http/routes.ts';
import { Ledger } from './ledger.ts';
import { PayoutWorker } from './payout-worker.ts';

const MAX_BODY_BYTES = 1_024;
/** A claim is mostly in the node's hands by then. */
const ANSWER_WITHIN_MS = 5_000;
/** Directory of the built page. A faucet without it has an API and no page. */
const PAGE = join(import.meta.dirname, '..', '..', 'web', 'dist', 'faucet');

/** Starts the faucet: it answers when this resolves, whether its node does or not. It stops with the signal. */
export async function runFaucet(config: FaucetConfig, context: ProcessContext): Promise<void> {
  const { log, metrics, signal, defer, background, fail } = context;
  const coin = getCoin(config);
  const curve = config.kind === 'evm' ? 'secp256k1' : 'ed25519';
  const key = readSigningKey(fields, config, curve, [nodeUrl(config)], log);
  const payer = createPayer(config, key, context.links);
  defer(() => payer.close());
  // Clients' addresses are in it.
  mkdirSync(config.dbFilepath, { recursive: true, mode: 0o700 });
  const store = new StoreFile<string>(config.dbFilepath, 'faucet-ledger', { keys: 'text', onDamage: fail });
  defer(() => store.close());
  const [clock, wall] = [systemClock, wallClock];
  const { clientClaims, queueCap, kind, name, walletRpcUrl } = config;
  const limits = { windowMs: config.minutes * 60_000, clientClaims };
  const ledger = new Ledger(store, { clock, wall, windowMs: limits.windowMs });
  const payoutWorker = new PayoutWorker({
    payer,
    ledger,
    clock,
    wall,
    log,
    signal,
    random: systemRandom,
    chainId: config.chainId,
  });
  const explorerUrl = config.explorerUrl ?? explorerIn(config.pages);
  const claimService = new ClaimService({ payer, ledger, payoutWorker, coin, limits, queueCap, clock, wall });
  if (ledger.unfinishedCount > 0) log.info({ claims: ledger.unfinishedCount }, 'resuming stored claims');
  if (limits.windowMs === 0 && !isLoopbackHost(config.listenAddr.host)) {
    log.warn({ setting: fields.minutes.names[0] }, 'other machines can reach this faucet, and no limit is set');
  }
  observe(metrics, claimService);

  const app = httpApp(log);
  app.route(
    '/',
    healthRoutes({
      ready() {
        const { state, problem = '' } = claimService.status();
        if (state === 'ready' || state === 'empty') return { ok: true, note: problem || undefined };
        const reason = state === 'absent' ? payoutWorker.trouble?.reason : undefined;
        return { ok: false, reason: reason === undefined ? problem : `${problem}: ${reason}` };
      },
      status: () => ({
        pid: process.pid,
        kind,
        account: payer.account,
        waiting: claimService.waiting,
        amount: coin.amount,
        ...claimService.status(),
      }),
      metrics,
    }),
  );
  faucetRoutes(app, claimService, {
    ...{ kind, name, explorerUrl, walletRpcUrl },
    hasDevelopmentKey: isDevelopmentKey(key),
    answerWithinMs: ANSWER_WITHIN_MS,
  });
  pageRoutes(app, PAGE, { pages: config.pages });
  const http = await serveHttp({
    links: context.links,
    listen: config.listenAddr,
    // Pages of others may look, but only its own may claim.
    access: pageAccess(operatorAccess(config, PREFIX), {
      origins: config.allowedOrigins,
      setting: fields.allowedOrigins.names[0],
    }),
    name: fields.listenAddr.names[0],
    app,
    log,
    maxBodyBytes: MAX_BODY_BYTES,
  });
  defer(() => http.close());
  log.info({ http: http.url, kind, account: payer.account }, 'the faucet answers');
  background(scrub([new StoreScrub(config.dbFilepath, 'faucet-ledger')], config.scrubBytesPerSecond, context));
  background(payoutWorker.run());
}
