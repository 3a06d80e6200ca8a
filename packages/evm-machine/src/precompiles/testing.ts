import type { EVM, PrecompileFunc } from '@ethereumjs/evm';
import type { KZG } from '@ethereumjs/util';
import { bn254 } from '@noble/curves/bn254.js';
import { bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import type { Fork } from '../fork.ts';
import type { Address, Data } from '../types.ts';
import { getPrecompiles, readyPrecompiles } from './contract.ts';
import { verifiedKzg } from './kzg.ts';

/** Result of a call of a contract. */
export interface Called {
  /** All bytes, if it failed. */
  readonly gasUsed: bigint;
  readonly output: Data;
  readonly failed: boolean;
}

/** @param place Of its address. */
export async function callOurs(fork: Fork, place: number, data: Uint8Array, gasLimit: bigint): Promise<Called> {
  await readyPrecompiles();
  const address: Address = `0x${getPlace(place)}`;
  const contract = getPrecompiles(fork).get(address);
  if (contract === undefined) throw new Error(`no contract ${place}`);
  const gas = contract.gas(data);
  const output = gas > gasLimit ? undefined : contract.run(data);
  if (output === undefined) return { gasUsed: gasLimit, output: '0x', failed: true };
  return { gasUsed: BigInt(gas), output: bytesToHex(output), failed: false };
}

/** Calls the contract of EthereumJS. */
export async function callTheirs(evm: EVM, place: number, data: Uint8Array, gasLimit: bigint): Promise<Called> {
  const code: PrecompileFunc | undefined = evm.precompiles.get(getPlace(place));
  const result = await code?.({ data, gasLimit, common: evm.common, _EVM: evm });
  if (result === undefined) throw new Error(`no contract ${place}`);
  const { executionGasUsed: gasUsed, returnValue, exceptionError } = result;
  return { gasUsed, output: bytesToHex(returnValue), failed: exceptionError !== undefined };
}

function getPlace(place: number): string {
  return place.toString(16).padStart(40, '0');
}

const { G1, G2, fields } = bn254;

export const words = (...numbers: readonly bigint[]): Uint8Array =>
  Buffer.concat(numbers.map((number) => hexToBytes(toWord(number))));

/** A multiple of the generator of G1. */
export function g1(scalar: bigint): Uint8Array {
  const { x, y } = G1.Point.BASE.multiplyUnsafe(scalar).toAffine();
  return words(x, y);
}

/** A multiple of the generator of G2, as EIP-197 has it. */
export function g2(scalar: bigint): Uint8Array {
  return encoded(G2.Point.BASE.multiplyUnsafe(scalar));
}

function encoded(point: InstanceType<typeof G2.Point>): Uint8Array {
  const { x, y } = point.toAffine();
  return words(x.c1, x.c0, y.c1, y.c0);
}

/**
 * On the curve of G2 and not in the group, by trying x after x.
 *
 * @param times It is multiplied by this.
 */
export function strayPoint(from = 1n, times = 1n): Uint8Array {
  const { Fp2 } = fields;
  const b = Fp2.div(Fp2.create({ c0: 3n, c1: 0n }), Fp2.create({ c0: 9n, c1: 1n }));
  for (let at = from; ; at += 1n) {
    const x = Fp2.create({ c0: at, c1: 1n });
    const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), b);
    try {
      const y = Fp2.sqrt(square);
      const point = multiplied(G2.Point.fromAffine({ x, y }), times);
      if (!point.isTorsionFree()) return encoded(point);
    } catch {
      // No square: no point has this x.
    }
  }
}

/** The library refuses scalars as large as the order. */
function multiplied(point: InstanceType<typeof G2.Point>, times: bigint): InstanceType<typeof G2.Point> {
  let result = G2.Point.ZERO;
  for (const bit of times.toString(2)) {
    result = result.double();
    if (bit === '1') result = result.add(point);
  }
  return result;
}

/**
 * Whether the polynomial of this commitment has value y at z (EIP-4844, `verify_kzg_proof`). After `loadKzg`.
 *
 * @throws {Error} for bytes that are no point of the group or no field element, with the word that EthereumJS looks for.
 */
export function verifyKzgProof(commitment: Data, z: Data, y: Data, proof: Data): boolean {
  const claim = { commitment: hexToBytes(commitment), z: hexToBytes(z), y: hexToBytes(y), proof: hexToBytes(proof) };
  const result = verifiedKzg(claim);
  if (result === undefined) throw new Error('C_KZG_BADARGS: not a point of the group or not a field element');
  return result;
}

/** The part of KZG that the contract 0x0a of EthereumJS needs. */
export const pointEvaluation: KZG = {
  verifyProof: (commitment, z, y, proof) => verifyKzgProof(hex(commitment), hex(z), hex(y), hex(proof)),
  blobToKzgCommitment: noBlobs,
  computeBlobProof: noBlobs,
  verifyBlobProofBatch: noBlobs,
  computeCells: noBlobs,
  computeCellsAndProofs: noBlobs,
  recoverCellsAndProofs: noBlobs,
  verifyCellKzgProofBatch: noBlobs,
};

function noBlobs(): never {
  throw new Error('this chain has no blobs');
}

function hex(text: string): Data {
  return `0x${text.replace(/^0x/, '')}`;
}
