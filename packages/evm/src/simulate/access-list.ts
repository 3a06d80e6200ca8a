import { createdAddress } from '@switchyard/evm-machine/created-address';
import { findAuthority } from '@switchyard/evm-machine/delegation';
import { MAX_NONCE } from '@switchyard/evm-machine/limits';
import { getPrecompiles } from '@switchyard/evm-machine/precompiles';
import { getRules } from '@switchyard/evm-machine/rules';
import { type AccessList, AccessListTracer } from '../trace/access-list-tracer.ts';
import type { EvmMessage } from './evm-message.ts';
import type { CallBase, EvmSimulator } from './evm-simulator.ts';
import type { CallBlock, CallRequest, Overrides } from './simulator.ts';

export interface FoundAccessList {
  readonly accessList: AccessList;
  /** With the list. */
  readonly gasUsed: bigint;
  /** Why the call fails all the same. */
  readonly failure: string | undefined;
}

/** A list may change the path of code, so the search is repeated, though not for ever. */
const MAX_ROUNDS = 10;

/** The list that makes a call cheapest: its accesses, until these stay the same (EIP-2930). */
export async function getAccessList(
  simulator: EvmSimulator,
  request: CallRequest,
  block: CallBlock,
  overrides: Overrides,
): Promise<FoundAccessList> {
  let announced: AccessList = request.accessList ?? [];
  for (let round = 1; ; round += 1) {
    const { outcome, result: accessList } = await simulator.traced(
      { ...request, accessList: announced },
      block,
      overrides,
      (message, base) => new AccessListTracer(announced, warmAnyway(message, base)),
    );
    if (round === MAX_ROUNDS || computeSize(accessList) === computeSize(announced))
      return { accessList, gasUsed: outcome.gasUsed, failure: outcome.failure?.text };
    announced = accessList;
  }
}

/** Nothing is ever taken off a list, so that equal sizes are equal lists. */
function computeSize(list: AccessList): number {
  return list.reduce((sum, { storageKeys }) => sum + 1 + storageKeys.length, 0);
}

function warmAnyway({ from, to, authorizations }: EvmMessage, { state, rules, environment }: CallBase) {
  const target = to ?? createdAddress(from, state.account(from)?.nonce ?? 0n);
  const warm = new Set([from, target, ...getPrecompiles(rules.fork).keys()]);
  for (const authorization of authorizations) {
    const { chainId, nonce } = authorization;
    if ((chainId !== 0n && chainId !== rules.chainId) || nonce >= MAX_NONCE) continue;
    const authority = findAuthority(authorization);
    if (authority !== undefined) warm.add(authority);
  }
  if (getRules(rules.fork).warmsCoinbase) warm.add(environment.coinbase);
  return warm;
}
