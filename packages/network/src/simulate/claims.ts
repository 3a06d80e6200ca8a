import { type Claim, claim, listClaims } from '@switchyard/faucet/contract';
import { sleep } from '@switchyard/service';
import { Input } from '@switchyard/service/input';
import type { Chance } from './chance.ts';
import { comesTrue, type Run, report } from './progress.ts';
import type { SimulatedStack } from './stack.ts';

const RULE = 'claims are paid once';
const HEADERS = { 'content-type': 'application/json' };

/** Claims test funds for one account after the other, where there is a faucet. @returns the numbers of those that were accepted. */
export async function makeClaims(run: Run, stack: SimulatedStack, chance: Chance, signal: AbortSignal) {
  const accepted = new Set<number>();
  while (stack.faucet !== undefined && !signal.aborted) {
    const { address } = chance.pick(run.options.rollup.senders);
    const request = { method: 'POST', headers: HEADERS, body: JSON.stringify({ address }) };
    const answer = await ask(stack, 'claim', request).catch(() => undefined);
    if (answer !== undefined) {
      // An account whose claim is open gets that one again.
      accepted.add(claim.read(answer).id);
    }
    await sleep(chance.integer(1, 2_000), signal).catch(() => undefined);
  }
  return accepted;
}

/** Each claim that was accepted is paid, and the faucet's account has paid for nothing else. */
export async function paidOnce(run: Run, stack: SimulatedStack, accepted: ReadonlySet<number>) {
  if (stack.faucet === undefined) return;
  let claims: readonly Claim[] = [];
  const isOpen = ({ state }: Claim) => state === 'queued' || state === 'sent';
  await comesTrue(run, async () => {
    claims = await allClaims(stack).catch(() => claims);
    return claims.length >= accepted.size && !claims.some(isOpen);
  });
  const paid = claims.filter(({ state }) => state === 'paid');
  const ids = new Set(paid.map(({ id }) => id));
  for (const id of accepted) {
    if (ids.has(id)) continue;
    const { state, reason } = claims.find((each) => each.id === id) ?? { state: 'not known' };
    report(run, { rule: RULE, detail: `claim ${id} is ${state}: ${reason ?? 'no reason'}` });
  }
  const { grant, paidByFaucet } = run.options.rollup;
  const amount = await paidByFaucet(stack.accessTo(stack.rollup));
  const expected = grant * BigInt(paid.length);
  if (amount !== expected) {
    report(run, { rule: RULE, detail: `${paid.length} are paid, with ${amount} in all, not ${expected}` });
  }
  run.claims = paid.length;
}

/** Oldest first. Numbers of claims that could not be written are missing. */
async function allClaims(stack: SimulatedStack): Promise<readonly Claim[]> {
  const [newest] = listClaims.answers[200].read(await ask(stack, 'history?limit=1')).claims;
  const found: Claim[] = [];
  for (let id = 1; id <= (newest?.id ?? 0); id += 1) {
    const answer = await ask(stack, `claims/${id}`).catch(() => undefined);
    if (answer !== undefined) found.push(claim.read(answer));
  }
  return found;
}

async function ask(stack: SimulatedStack, path: string, request: RequestInit = {}): Promise<Input> {
  const answer = await stack.outside.fetch(`${stack.urlOf(stack.faucet ?? '', 'http')}/api/${path}`, request);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return new Input(await answer.json(), path);
}
