import type { PrecompileFunc } from '@ethereumjs/evm';
import { bytesOf, numberOf } from '../hex.ts';
import type { Pause } from '../pause.ts';
import { power } from './power.ts';

/*
 * Powers modulo a number (EIP-198): the precompiled contract 5. The library needs time by the square of the exponent's
 * length, which is paid for by the length only. The costs are repeated here, because the library states them
 * only together with the result.
 */

/** Where the lengths of base, exponent and modulus are, a word each, and where these begin. */
const WORD = 32;
const HEAD = 3 * WORD;
/** No numbers longer than this, in bytes: what the library can work with, and since EIP-7823 the rule. */
const LONGEST = 2n ** 31n - 1n;
const LONGEST_7823 = 1_024n;

type Rules = Parameters<PrecompileFunc>[0]['common'];

interface Lengths {
  readonly base: bigint;
  readonly exponent: bigint;
  readonly modulus: bigint;
}

/** @param run The library's, which decides what fails and how. */
export function modexpInPieces(run: PrecompileFunc, pause: Pause): PrecompileFunc {
  return async (input) => {
    const { data, gasLimit, common } = input;
    const lengths = { base: lengthAt(0, data), exponent: lengthAt(1, data), modulus: lengthAt(2, data) };
    const gas = gasOf(lengths, data, common);
    const longest = common.isActivatedEIP(7823) ? LONGEST_7823 : LONGEST;
    const isTooLong = Object.values(lengths).some((length) => length > longest);
    if (isTooLong || gas > gasLimit) return await run(input);
    const [base, exponent, modulus] = [Number(lengths.base), Number(lengths.exponent), Number(lengths.modulus)];
    const exponentAt = HEAD + base;
    const modulusAt = exponentAt + exponent;
    const result = await power(
      numberOf(part(data, HEAD, base)),
      // Zeros that would follow are not needed: the modulus is 0 where the input ends before it.
      data.subarray(exponentAt, modulusAt),
      numberOf(part(data, modulusAt, modulus)),
      pause,
    );
    return { executionGasUsed: gas, returnValue: padded(result, modulus) };
  };
}

function lengthAt(index: number, data: Uint8Array): bigint {
  const word = part(data, index * WORD, WORD);
  const first = word.findIndex((byte) => byte !== 0);
  return first < 0 ? 0n : numberOf(word.subarray(first));
}

/** EIP-198, EIP-2565, EIP-7883. */
function gasOf({ base, exponent, modulus }: Lengths, data: Uint8Array, rules: Rules): bigint {
  const longer = base > modulus ? base : modulus;
  const isDear = rules.isActivatedEIP(7883);
  const rest = exponent > WORD ? exponent - BigInt(WORD) : 0n;
  // The length of the exponent in bits, of which the first word's leading zeros do not count.
  const bits = bitsOfHead(base, exponent, data) - 1n + rest * (isDear ? 16n : 8n);
  const rounds = bits > 1n ? bits : 1n;
  if (!rules.isActivatedEIP(2565)) return (rounds * squareOf(longer)) / rules.param('modexpGquaddivisorGas');
  const words = (longer + 7n) / 8n;
  if (isDear) return most(500n, rounds * (longer > 32n ? 2n * words * words : 16n));
  return most(200n, (rounds * words * words) / rules.param('modexpGquaddivisorGas'));
}

/** At least 1. */
function bitsOfHead(base: bigint, exponent: bigint, data: Uint8Array): bigint {
  const at = base < data.length ? HEAD + Number(base) : data.length;
  const head = numberOf(part(data, at, exponent < WORD ? Number(exponent) : WORD));
  return BigInt(head.toString(2).length);
}

/** What EIP-198 takes for the work of squaring a number of so many bytes. */
function squareOf(bytes: bigint): bigint {
  if (bytes <= 64n) return bytes * bytes;
  if (bytes <= 1_024n) return (bytes * bytes) / 4n + 96n * bytes - 3_072n;
  return (bytes * bytes) / 16n + 480n * bytes - 199_680n;
}

function most(least: bigint, value: bigint): bigint {
  return value < least ? least : value;
}

/** Zeros where the input has ended. */
function part(data: Uint8Array, at: number, length: number): Uint8Array {
  const found = data.subarray(at, at + length);
  if (found.length === length) return found;
  const whole = new Uint8Array(length);
  whole.set(found);
  return whole;
}

/** Big-endian. */
function padded(value: bigint, length: number): Uint8Array {
  return length === 0 ? new Uint8Array() : bytesOf(`0x${value.toString(16).padStart(2 * length, '0')}`);
}
