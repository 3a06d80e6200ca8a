/** The faucet, as it describes itself. Amounts are decimal text, in coins. */
export interface Info {
  readonly account: string;
  readonly network: string;
  readonly chainId: string;
  readonly payout: string;
  readonly kind: string;
  readonly symbol: string;
  readonly balance: string;
  readonly minutes: number;
  readonly clientClaims: number;
  readonly waiting: number;
  readonly state: string;
  readonly problem: string;
}

export interface Claim {
  readonly id: number;
  readonly address: string;
  readonly amount: string;
  readonly symbol: string;
  /** queued, sent, paid or failed */
  readonly state: string;
  readonly at: string;
  readonly hash: string;
  readonly block: string;
  readonly reason: string;
  /** Claims that are paid before this one. */
  readonly ahead: number;
  /** Why it waits, where there is a reason. */
  readonly note: string;
}

/** The faucet answered that it does not do what was asked. The message is for people. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const word = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
const count = (value: unknown): number => (typeof value === 'number' ? value : 0);

function fields(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null)
    throw new Error('the faucet answered something that is not an object');
  // Any object can be asked for members that it may lack.
  return value as Readonly<Record<string, unknown>>;
}

export function infoFromJson(value: unknown): Info {
  const json = fields(value);
  return {
    account: word(json.account),
    network: word(json.network),
    chainId: word(json.chainId),
    payout: word(json.payout),
    kind: word(json.kind),
    symbol: word(json.symbol),
    balance: word(json.balance),
    minutes: count(json.minutes),
    clientClaims: count(json.clientClaims),
    waiting: count(json.waiting),
    state: word(json.state),
    problem: word(json.problem),
  };
}

export function claimFromJson(value: unknown): Claim {
  const json = fields(value);
  return {
    id: count(json.id),
    address: word(json.address),
    amount: word(json.amount),
    symbol: word(json.symbol),
    state: word(json.state),
    at: word(json.at),
    hash: word(json.hash),
    block: word(json.block),
    reason: word(json.reason),
    ahead: count(json.ahead),
    note: word(json.note),
  };
}

async function request(path: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(path, init);
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body;
  const { code, message } = fields(fields(body ?? {}).error ?? {});
  throw new Refused(word(code), word(message) || `the faucet answered ${response.status}`);
}

export async function faucetInfo(): Promise<Info> {
  return infoFromJson(await request('api/info'));
}

export async function history(): Promise<Claim[]> {
  const { claims } = fields(await request('api/history'));
  return Array.isArray(claims) ? claims.map(claimFromJson) : [];
}

/** @throws {Refused} where the faucet does not take the claim. */
export async function makeClaim(address: string): Promise<Claim> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ address }) };
  return claimFromJson(await request('api/claim', init));
}

export async function claimNow(id: number): Promise<Claim> {
  return claimFromJson(await request(`api/claims/${id}`));
}
