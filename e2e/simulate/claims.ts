import { type Claim, claim, listClaims } from '@switchyard/faucet/contract';
import type { ActivityFacts } from '@switchyard/network/simulate';
import { Input } from '@switchyard/service/input';
import type { House } from './house.ts';

const RULE = 'claims are paid once';
const HEADERS = { 'content-type': 'application/json' };

/** Claims test funds for one account after the other. @returns the numbers of the accepted ones. */
export async function makeClaims(house: House, facts: ActivityFacts): Promise<ReadonlySet<number>> {
  const accepted = new Set<number>();
  await facts.takeSteps('claim', [1, 2_000], async ({ chance }) => {
    const { address } = chance.pick(house.claimants);
    const request = { method: 'POST', headers: HEADERS, body: JSON.stringify({ address }) };
    const answer = await ask(house, facts, 'claim', request).catch(() => undefined);
    if (answer !== undefined) {
      // An account whose claim is open gets that one again.
      accepted.add(claim.read(answer).id);
    }
  });
  return accepted;
}

/** Each claim that was accepted is paid, and the faucet's account has paid for nothing else. @returns how many are. */
export async function paidOnce(house: House, facts: ActivityFacts, accepted: ReadonlySet<number>): Promise<number> {
  let claims: readonly Claim[] = [];
  const isOpen = ({ state }: Claim) => state === 'queued' || state === 'sent';
  await facts.comesTrue(async () => {
    claims = await allClaims(house, facts).catch(() => claims);
    return claims.length >= accepted.size && !claims.some(isOpen);
  });
  const paid = claims.filter(({ state }) => state === 'paid');
  const ids = new Set(paid.map(({ id }) => id));
  for (const id of accepted) {
    if (ids.has(id)) continue;
    const { state, reason } = claims.find((each) => each.id === id) ?? { state: 'not known' };
    facts.report({ rule: RULE, detail: `claim ${id} is ${state}: ${reason ?? 'no reason'}` });
  }
  const amount = await house.paidByFaucet({ url: facts.makeUrl(facts.rollup, 'http'), links: facts.links });
  const expected = house.grant * BigInt(paid.length);
  if (amount !== expected) {
    facts.report({ rule: RULE, detail: `${paid.length} are paid, with ${amount} in all, not ${expected}` });
  }
  return paid.length;
}

/** Oldest first. Numbers of claims that could not be written are missing. */
async function allClaims(house: House, facts: ActivityFacts): Promise<readonly Claim[]> {
  const [newest] = listClaims.answers[200].read(await ask(house, facts, 'history?limit=1')).claims;
  const found: Claim[] = [];
  for (let id = 1; id <= (newest?.id ?? 0); id += 1) {
    const answer = await ask(house, facts, `claims/${id}`).catch(() => undefined);
    if (answer !== undefined) found.push(claim.read(answer));
  }
  return found;
}

async function ask(
  { faucet }: House,
  { links, makeUrl }: ActivityFacts,
  path: string,
  request: RequestInit = {},
): Promise<Input> {
  const answer = await links.fetch(`${makeUrl(faucet, 'http')}/api/${path}`, request);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return new Input(await answer.json(), path);
}
