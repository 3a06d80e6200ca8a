/** What BLAKE2b's compression works on: the state and the message, in words of 64 bits, little end first. */
export interface Blake2State {
  readonly state: DataView;
  readonly message: DataView;
}

const WORD = 8;

/** Low half first. */
const IV = [
  ...[0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a],
  ...[0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19],
];

/** Which words of the message each of the ten rounds mixes in. */
const SIGMA = offsets([
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  ...[11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4, 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  ...[9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13, 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  ...[12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11, 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  ...[6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5, 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
]);

/** The words of the state that each of a round's eight steps mixes. */
const STEPS = offsets([
  ...[0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
  ...[0, 5, 10, 15, 1, 6, 11, 12, 2, 7, 8, 13, 3, 4, 9, 14],
]);

function offsets(words: readonly number[]): DataView {
  return new DataView(Uint8Array.from(words, (word) => word * WORD).buffer);
}

/** Before the first round, from the input of the precompiled contract (EIP-152). */
export function blake2State(input: DataView, final: boolean): Blake2State {
  const state = new DataView(new ArrayBuffer(16 * WORD));
  for (let at = 0; at < 8 * WORD; at += 4) state.setUint32(at, input.getUint32(4 + at));
  for (const [index, half] of IV.entries()) state.setUint32(8 * WORD + index * 4, half, true);
  const change = (at: number, by: number) => state.setUint32(at, state.getUint32(at) ^ by);
  for (let at = 0; at < 2 * WORD; at += 4) change(12 * WORD + at, input.getUint32(196 + at));
  if (final) for (let at = 14 * WORD; at < 15 * WORD; at += 4) change(at, 0xffffffff);
  const message = new DataView(new ArrayBuffer(16 * WORD));
  for (let at = 0; at < 16 * WORD; at += 4) message.setUint32(at, input.getUint32(68 + at));
  return { state, message };
}

/** After the last round. */
export function blake2Result(input: DataView, { state }: Blake2State): Uint8Array {
  const result = new DataView(new ArrayBuffer(8 * WORD));
  for (let at = 0; at < 8 * WORD; at += 4) {
    result.setUint32(at, input.getUint32(4 + at) ^ state.getUint32(at) ^ state.getUint32(at + 8 * WORD));
  }
  return new Uint8Array(result.buffer);
}

/** @param to This round is not done any more. */
export function blake2Rounds({ state, message }: Blake2State, from: number, to: number): void {
  for (let round = from; round < to; round += 1) {
    const row = (round % 10) * 16;
    for (let step = 0; step < 8; step += 1) {
      const [one, other] = [SIGMA.getUint8(row + step * 2), SIGMA.getUint8(row + step * 2 + 1)];
      mix(state, step * 4, message, one, other);
    }
  }
}

/** The function G of RFC 7693. */
function mix(v: DataView, step: number, m: DataView, one: number, other: number): void {
  const a = STEPS.getUint8(step);
  const b = STEPS.getUint8(step + 1);
  const c = STEPS.getUint8(step + 2);
  const d = STEPS.getUint8(step + 3);
  let aLow = v.getUint32(a, true);
  let aHigh = v.getUint32(a + 4, true);
  let bLow = v.getUint32(b, true);
  let bHigh = v.getUint32(b + 4, true);
  let cLow = v.getUint32(c, true);
  let cHigh = v.getUint32(c + 4, true);
  let dLow = v.getUint32(d, true);
  let dHigh = v.getUint32(d + 4, true);
  // a += b + m[one]; d = (d ^ a) >>> 32; c += d; b = (b ^ c) >>> 24
  let sum = aLow + bLow + m.getUint32(one, true);
  aHigh = (aHigh + bHigh + m.getUint32(one + 4, true) + carry(sum)) >>> 0;
  aLow = sum >>> 0;
  [dLow, dHigh] = [dHigh ^ aHigh, dLow ^ aLow];
  sum = cLow + (dLow >>> 0);
  cHigh = (cHigh + dHigh + carry(sum)) >>> 0;
  cLow = sum >>> 0;
  bLow ^= cLow;
  bHigh ^= cHigh;
  [bLow, bHigh] = [((bLow >>> 24) | (bHigh << 8)) >>> 0, ((bHigh >>> 24) | (bLow << 8)) >>> 0];
  // a += b + m[other]; d = (d ^ a) >>> 16; c += d; b = (b ^ c) >>> 63
  sum = aLow + bLow + m.getUint32(other, true);
  aHigh = (aHigh + bHigh + m.getUint32(other + 4, true) + carry(sum)) >>> 0;
  aLow = sum >>> 0;
  dLow ^= aLow;
  dHigh ^= aHigh;
  [dLow, dHigh] = [((dLow >>> 16) | (dHigh << 16)) >>> 0, ((dHigh >>> 16) | (dLow << 16)) >>> 0];
  sum = cLow + dLow;
  cHigh = (cHigh + dHigh + carry(sum)) >>> 0;
  cLow = sum >>> 0;
  bLow ^= cLow;
  bHigh ^= cHigh;
  [bLow, bHigh] = [(bLow << 1) | (bHigh >>> 31), (bHigh << 1) | (bLow >>> 31)];
  v.setUint32(a, aLow, true);
  v.setUint32(a + 4, aHigh, true);
  v.setUint32(b, bLow, true);
  v.setUint32(b + 4, bHigh, true);
  v.setUint32(c, cLow, true);
  v.setUint32(c + 4, cHigh, true);
  v.setUint32(d, dLow, true);
  v.setUint32(d + 4, dHigh, true);
}

/** What is over 32 bits in a sum. */
function carry(sum: number): number {
  return Math.floor(sum / 0x1_0000_0000);
}
