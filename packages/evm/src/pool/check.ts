import { findAuthority } from '@switchyard/evm-machine/delegation';
import { includes } from '@switchyard/evm-machine/fork';
import type { Address, Authorization } from '@switchyard/evm-machine/types';
import type { JsonRpcError } from '@switchyard/service';
import { serverError } from '../json/errors.ts';
import { checkGas, checkOutline, checkTransaction, type TransactionRules } from '../rules/rules.ts';
import type { RefusalCode } from '../transactions/refusals.ts';
import { InvalidTransaction, type Transaction } from '../transactions/transaction.ts';
import type { SignedTransaction } from './deps.ts';

/** go-ethereum's words for refusals of the rules; libraries match on them. */
const WORDS: { readonly [C in RefusalCode]?: string } = {
  malformed: 'failed to decode signed transaction',
  'blob-transaction': 'transaction type not supported',
  'unknown-type': 'transaction type not supported',
  'too-large': 'oversized data',
  'bad-signature': 'invalid sender',
  'wrong-chain': 'invalid chain id for signer',
  'intrinsic-gas': 'intrinsic gas too low',
  'initcode-size': 'max initcode size exceeded',
  'tip-above-fee-cap': 'max priority fee per gas higher than max fee per gas',
  'floor-gas': 'insufficient gas for floor data gas cost',
  'tx-gas-cap': 'transaction gas limit too high',
  'no-authorizations': 'set code tx must have at least one authorization tuple',
  'block-gas': 'exceeds block gas limit',
  'nonce-max': 'nonce has max value',
};

/** EIP-2681. An account can never have used it, so holding its transaction for the ones before would be for ever. */
const LAST_NONCE = (1n << 64n) - 1n;

/** Rules of the next block. */
type Rules = () => TransactionRules;

/**
 * The rules for bytes without an account, with errors for senders.
 *
 * @param senderOf Undefined if no sender can be recovered from the signature. Called if the sender is not known.
 */
export function transactionCheck(
  rules: Rules,
  getSender: (tx: Transaction) => Address | undefined,
): (raw: Uint8Array, sender?: Address) => SignedTransaction {
  return (raw, sender) => {
    const tx = unsignedCheck(raw, rules());
    return signedBy(tx, sender ?? getSender(tx), rules());
  };
}

/** Like `transactionCheck`, if the sender is found later. */
export function transactionCheckLater(
  rules: Rules,
  getSender: (tx: Transaction) => Promise<Address | undefined>,
): (raw: Uint8Array) => Promise<SignedTransaction> {
  return async (raw) => {
    const tx = unsignedCheck(raw, rules());
    return signedBy(tx, await getSender(tx), rules());
  };
}

function unsignedCheck(raw: Uint8Array, rules: TransactionRules): Transaction {
  return asSendError(() => {
    const tx = checkTransaction(raw, rules);
    if (tx.nonce === LAST_NONCE) throw new InvalidTransaction('nonce-max', `nonce ${tx.nonce} is of no transaction`);
    return tx;
  });
}

/**
 * Refuses, before it is made into bytes, hex that no transaction can be.
 *
 * @param text Begins with `0x`; the rest may be anything.
 * @throws {JsonRpcError} -32000
 */
export function checkHex(text: string): void {
  const first = Number.parseInt(text.slice(2, 4), 16);
  // Whether the fork has the type is looked at with the rest.
  asSendError(() => checkOutline(first, Math.ceil((text.length - 2) / 2), 'osaka'));
}

function asSendError<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof InvalidTransaction) throw sendError(error);
    throw error;
  }
}

function signedBy(tx: Transaction, from: Address | undefined, { chainId, fork }: TransactionRules): SignedTransaction {
  if (from === undefined)
    throw sendError(new InvalidTransaction('bad-signature', 'no sender can be recovered from the signature'));
  // EIP-2780: only now it is known whether it is one to the sender itself.
  if (includes(fork, 'amsterdam')) asSendError(() => checkGas(tx, fork, from));
  const { hash, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas, value, authorizations } = tx;
  const authorities =
    authorizations === undefined ? noAuthorities : lazily(() => getAuthorities(authorizations, chainId));
  return { hash, from, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas, value, authorities };
}

const NO_AUTHORITIES: readonly Address[] = [];
const noAuthorities = (): readonly Address[] => NO_AUTHORITIES;

function getAuthorities(authorizations: readonly Authorization[], ownChain: bigint): readonly Address[] {
  const here = authorizations.filter(({ chainId }) => chainId === 0n || chainId === ownChain);
  return [...new Set(here.flatMap((each) => findAuthority(each) ?? []))];
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** -32000 with words that libraries know, then the facts. */
function sendError({ code, message }: InvalidTransaction): JsonRpcError {
  return serverError(`${WORDS[code] ?? code}: ${message}`);
}
