import { BLS12_381, IRTF } from 'mcl-wasm/dist/constants.js';
import { loadPairingCurve, type PairingCurve } from './pairing-curve.ts';

/** The curve of EIP-2537 and of KZG proofs. */
export interface Bls12381 extends PairingCurve {
  /** A point of G1 for a field element, which is 64 bytes; of G2 for one of two parts. */
  readonly mapToG1: (element: Uint8Array) => Uint8Array | undefined;
  readonly mapToG2: (element: Uint8Array) => Uint8Array | undefined;
}

/** Once per process. */
export function loadBls12381(): Promise<Bls12381> {
  loading ??= load();
  return loading;
}

let loading: Promise<Bls12381> | undefined;

async function load(): Promise<Bls12381> {
  const curve = await loadPairingCurve({
    curve: BLS12_381,
    fieldBytes: 48,
    paddedBytes: 64,
    imaginaryFirst: false,
    isReversed: false,
    hasCofactor: true,
  });
  const { mcl, g1, g2 } = curve;
  // The maps of RFC 9380, with the cofactor cleared.
  if (mcl._mclBn_setMapToMode(IRTF) !== 0) throw new Error('mcl-wasm does not map as RFC 9380 does');
  const element = mcl._malloc(g1.size);
  const point = mcl._malloc(g2.size);
  return {
    ...curve,
    mapToG1(input) {
      if (input.length !== 64 || !g1.readField(element, input, 1)) return undefined;
      if (mcl._mclBnFp_mapToG1(point, element) !== 0) throw new Error('a field element could not be mapped');
      return g1.write(point);
    },
    mapToG2(input) {
      if (input.length !== 128 || !g2.readField(element, input, 2)) return undefined;
      if (mcl._mclBnFp2_mapToG2(point, element) !== 0) throw new Error('a field element could not be mapped');
      return g2.write(point);
    },
  };
}
