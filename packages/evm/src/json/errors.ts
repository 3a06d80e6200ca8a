import type { Data } from '@switchyard/evm-machine/types';
import { JsonRpcError, RPC } from '@switchyard/service';
import { decodeText } from '../withdrawer/abi.ts';

/**
 * Codes in addition to those of JSON-RPC itself. Libraries match on code and text, so both are go-ethereum's wherever it has
 * the same error; errors of bounds follow EIP-1474.
 */
export const CODES = {
  /** Server error: nonce too low, funds, header not found, and most refusals of a node. */
  server: -32_000,
  /** EIP-1474: a bound of this server. */
  limit: -32_005,
  /** A call that reverted; `data` is its output. */
  reverted: 3,
  /** go-ethereum's code for a call that asks for more than is allowed. */
  clientLimit: -38_026,
  /** EIP-1474: the requested item does not exist. */
  notFound: -32_001,
  /** go-ethereum's code for blocks that were deleted. */
  pruned: 4_444,
  /** go-ethereum's code for a request whose time is over. */
  timeout: -32_002,
} as const;

export function rpcError(code: number, message: string): JsonRpcError {
  return new JsonRpcError(code, message);
}

export const TIMED_OUT = rpcError(CODES.timeout, 'request timed out');

/** -32000 with the text as given. */
export function serverError(message: string, data?: unknown): JsonRpcError {
  return new JsonRpcError(CODES.server, message, data);
}

/** -32602 with the text as given. */
export function invalidParams(message: string): JsonRpcError {
  return new JsonRpcError(RPC.invalidParams, message);
}

/** @param position Counts from 0. */
export function invalidArgument(position: number, why: string): JsonRpcError {
  return invalidParams(`invalid argument ${position}: ${why}`);
}

/** @param isDev Whether this is `switchyard evm dev`. */
export function methodNotFound(name: string, isDev = false): JsonRpcError {
  const hint = whereElse(name, isDev);
  const more = hint === undefined ? '' : `: ${hint}`;
  return new JsonRpcError(
    RPC.methodNotFound,
    `the method ${name.slice(0, 100)} does not exist/is not available${more}`,
  );
}

/** Methods that sign; `rpc/accounts` has them. */
const SIGNING = new Set([
  ...['eth_sendTransaction', 'eth_signTransaction', 'eth_sign', 'personal_sign'],
  ...['eth_signTypedData', 'eth_signTypedData_v4'],
]);

/** Advice for a user who calls a method that only some nodes have. */
function whereElse(name: string, isDev: boolean): string | undefined {
  if (SIGNING.has(name))
    return 'this node holds no keys; sign yourself and use eth_sendRawTransaction, or set SVC_EVM_DEV_ACCOUNTS=true on a local network';
  if (!/^(?:anvil|hardhat|evm)_/.test(name)) return undefined;
  return isDev
    ? 'it is not supported; docs/how-to/test-contracts.md lists the supported ones'
    : 'only `switchyard evm dev` can change its chain at will, by the methods that docs/how-to/test-contracts.md lists';
}

/** The block of requested state does not exist. */
export function headerNotFound(): JsonRpcError {
  return serverError('header not found');
}

export function limitExceeded(message: string): JsonRpcError {
  return new JsonRpcError(CODES.limit, message);
}

/** A call ended by `REVERT`: the reason in the text if there is one, its output in `data`. */
export function executionReverted(output: Data): JsonRpcError {
  const reason = revertReason(output);
  return new JsonRpcError(CODES.reverted, `execution reverted${reason === undefined ? '' : `: ${reason}`}`, output);
}

/** Selector of `Error(string)` and of `Panic(uint256)`, with which Solidity reports. */
const ERROR = '0x08c379a0';
const PANIC = '0x4e487b71';
const LONGEST_REASON = 4_096;

/** The reason of Solidity's `require`, `revert` or a failed check; undefined for anything else. */
export function revertReason(output: Data): string | undefined {
  const bytes = Buffer.from(output.slice(10), 'hex');
  if (output.startsWith(PANIC) && bytes.length === 32) {
    const code = BigInt(`0x${bytes.toString('hex')}`);
    return PANICS.get(code) ?? `unknown panic code: 0x${code.toString(16)}`;
  }
  return output.startsWith(ERROR) ? decodeText(bytes, LONGEST_REASON) : undefined;
}

/** Codes of Solidity's documentation, section "Panic via assert and Error via require". */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
]);
