import { Rejected } from '@switchyard/protocol';
import { formatAmount } from '@switchyard/protocol/values';
import { clientOf, deadline, HttpError, retryAfter, toHttpError, toJson } from '@switchyard/service';
import type { AnswerOf } from '@switchyard/service/contract';
import { InvalidData, parseInput, strictObject, text } from '@switchyard/service/input';
import type { Context, Hono } from 'hono';
import { type Claim, lastPayment } from '../claim.ts';
import type { ClaimService, ClaimState } from '../claim-service.ts';
import type { Claim as ClaimJson, Info, listClaims, postClaim } from '../contract.ts';

export interface RouteOptions {
  readonly kind: Info['kind'];
  /** Name of the network; if undefined, that of the rollup or the chain id. */
  readonly name: string | undefined;
  /** Page of an explorer, and JSON-RPC for wallets, both as browsers reach them. */
  readonly explorerUrl: string | undefined;
  readonly walletRpcUrl: string | undefined;
  /** Whether the key of the paying account is published. */
  readonly hasDevelopmentKey: boolean;
  /** How long a claim is watched before it is answered. */
  readonly answerWithinMs: number;
}

const HISTORY = { standard: 20, most: 100 };
/** The caller waits for the answer; a stale balance is better than none. */
const LOOK_WITHIN_MS = 2_000;

/** Routes for the page and for other programs. */
export function faucetRoutes(app: Hono, claimService: ClaimService, options: RouteOptions): void {
  const { coin, limits, payer, queueCap } = claimService.parts;

  app.get('/api/info', async () => {
    await claimService.look(LOOK_WITHIN_MS);
    const { funds, state, problem } = claimService.status();
    const { windowMs, clientClaims } = limits;
    return json<Info>({
      account: payer.account,
      network: options.name ?? funds?.rollup ?? funds?.chainId ?? 'unknown',
      payout: formatAmount(coin.amount, coin.precision),
      kind: options.kind,
      explorerUrl: options.explorerUrl,
      walletRpcUrl: options.kind === 'evm' ? options.walletRpcUrl : undefined,
      developmentKey: options.hasDevelopmentKey,
      symbol: coin.symbol,
      chainId: funds?.chainId,
      rollup: funds?.rollup,
      balance: funds === undefined ? undefined : formatAmount(funds.balance, coin.precision),
      minutes: windowMs / 60_000,
      clientClaims,
      waiting: claimService.waiting,
      queueCap,
      state,
      problem,
    });
  });

  app.post('/api/claim', async (c) => {
    try {
      return await claim(c, claimService, options);
    } catch (error) {
      const refusal = toHttpError(error);
      if (refusal.status === 500) throw error;
      return refused(refusal);
    }
  });

  app.get('/api/claims/:id', (c) => {
    const text = c.req.param('id');
    const found = /^[1-9]\d{0,14}$/.test(text) ? claimService.find(Number(text)) : undefined;
    if (found === undefined) throw new HttpError(404, 'not-found', 'no such claim is known here');
    return json<ClaimJson>(claimJson(found, claimService));
  });

  app.get('/api/history', (c) => {
    const wanted = c.req.query('limit') ?? String(HISTORY.standard);
    const limit = /^\d{1,6}$/.test(wanted) ? Number(wanted) : 0;
    if (limit < 1 || limit > HISTORY.most) {
      throw new HttpError(400, 'malformed', `limit: expected a whole number from 1 to ${HISTORY.most}`);
    }
    return json<AnswerOf<typeof listClaims>>({
      claims: claimService.newest(limit).map((each) => claimJson(each, claimService)),
    });
  });
}

async function claim(c: Context, claimService: ClaimService, { answerWithinMs }: RouteOptions): Promise<Response> {
  const address = getRecipient(parseClaimBody(await c.req.text()), claimService.parts.payer.recipient);
  await claimService.look(LOOK_WITHIN_MS);
  const accepted = await claimService.accept(address, clientOf(c.env));
  const patience = deadline(answerWithinMs, c.req.raw.signal);
  const seen = await claimService.watch(accepted, patience);
  if (seen.kind === 'failed') throw new HttpError(422, 'failed', seen.reason);
  const shown = claimJson(seen, claimService);
  const msg = shown.hash === undefined ? `Added ${address} to the queue` : `Txhash: ${shown.hash}`;
  return json<AnswerOf<typeof postClaim>>({ msg, ...shown });
}

const MAX_BODY_BYTES = 1_024;
const claimBody = strictObject({ address: text });

/** The address in the body of a claim, as written. @throws {HttpError} 400. */
function parseClaimBody(body: string): string {
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) throw malformed(`the body is longer than ${MAX_BODY_BYTES} bytes`);
  try {
    return claimBody(parseInput(body, 'body')).address;
  } catch (error) {
    throw error instanceof InvalidData
      ? malformed(`${error.message.replaceAll('\n', '; ')}, as in {"address": "..."}`)
      : error;
  }
}

/** The one spelling of an address. @throws {HttpError} 400, with a message for people. */
function getRecipient(text: string, parse: (text: string) => string): string {
  if (text.trim() === '') throw malformed('no address is given');
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    const { address, expected, got, problem } = error.facts;
    if (problem !== undefined) throw malformed(`the address is not right: ${String(problem)}`);
    throw malformed(`expected ${String(expected)}, got ${String(got ?? address)}`);
  }
}

function malformed(message: string): HttpError {
  return new HttpError(400, 'malformed', message);
}

/** A claim as others may see it: nothing of the claimant. */
function claimJson(claim: Claim, claimService: ClaimService): ClaimJson {
  const { id, address, amount, at } = claim;
  const { coin } = claimService.parts;
  const state = claimService.findState(claim);
  return {
    id,
    address,
    amount: formatAmount(amount, coin.precision),
    symbol: coin.symbol,
    state,
    at: new Date(at).toISOString(),
    hash: shownHash(claim, state),
    block: claim.kind === 'paid' ? claim.block : undefined,
    reason: claim.kind === 'failed' ? claim.reason : undefined,
    ...(state === 'queued' && { ahead: claimService.ahead(claim), note: claimService.findNote(claim) }),
  };
}

/** A payment that no node has yet may be signed again under another hash. */
function shownHash(claim: Claim, state: ClaimState): string | undefined {
  if (claim.kind === 'signed') return state === 'sent' ? lastPayment(claim).hash : undefined;
  return claim.kind === 'queued' ? undefined : claim.hash;
}

function json<T>(value: T): Response {
  return new Response(toJson(value), { headers: { 'content-type': 'application/json', 'cache-control': 'no-store' } });
}

/** Clients of the reference read `msg`. */
function refused(error: HttpError): Response {
  const { status, code, message, facts } = error;
  return new Response(toJson({ msg: message, error: { code, message, facts } }), {
    status,
    headers: { 'content-type': 'application/json', ...retryAfter(error) },
  });
}
