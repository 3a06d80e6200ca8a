import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Rejected } from '../errors.ts';
import { toBytes } from '../testing.ts';
import { type Namespace, namespaceFromBytes, namespaceFromId, RESERVED_NAMESPACES } from './namespace.ts';
import { NODE_LENGTH } from './nodes.ts';
import { type NamespaceProof, verifyNamespaceProof } from './range-proof.ts';
import { sharesOfBlob } from './shares.ts';
import { buildSquare, type SquareRow } from './square.ts';
import { proveNamespace, proveRange, rootOfTree } from './tree.ts';

const getNamespace = (byte: number) => namespaceFromId(new Uint8Array(10).fill(byte));
const getShare = (byte: number, fill = byte) =>
  sharesOfBlob({ namespace: getNamespace(byte), data: new Uint8Array(400).fill(fill), author: undefined })[0] ??
  new Uint8Array();
const SHARES = [1, 3, 3, 3, 5, 5, 7, 9].map((byte, index) => getShare(byte, index));
const row = firstRow([...SHARES, ...Array.from({ length: 56 }, () => getShare(9))]);

function firstRow(shares: readonly Uint8Array[]): SquareRow {
  const [first] = buildSquare(shares).rows;
  if (first === undefined) throw new Error('a square without rows');
  return first;
}

const makeRoot = ({ tree }: SquareRow) => ({ root: rootOfTree(tree), width: tree.width });
const prove = (namespace: Namespace): NamespaceProof =>
  proveNamespace(row.tree, namespace) ?? { start: 0, end: 0, nodes: [], absent: undefined };
const range = (start: number, end: number) => ({ ...proveRange(row.tree, start, end), absent: undefined });
const leafNode = (index: number) => row.tree.levels[0]?.subarray(NODE_LENGTH * index, NODE_LENGTH * (index + 1));
const verify = (namespace: Namespace, shares: readonly Uint8Array[], proof: NamespaceProof) =>
  verifyNamespaceProof(makeRoot(row), namespace, shares, proof);

test.each([1, 3, 5, 7, 9])('shows all leaves of namespace %i', (byte) => {
  const shares = SHARES.filter((_, index) => [1, 3, 3, 3, 5, 5, 7, 9][index] === byte);
  expect(() => verify(getNamespace(byte), shares, prove(getNamespace(byte)))).not.toThrow();
});

test.each([2, 4, 6, 8])('shows that namespace %i has none', (byte) => {
  expect(prove(getNamespace(byte)).absent).toBeDefined();
  expect(() => verify(getNamespace(byte), [], prove(getNamespace(byte)))).not.toThrow();
});

const three = getNamespace(3);
const four = getNamespace(4);
const seven = getNamespace(7);
test.each<[string, Namespace, readonly Uint8Array[], NamespaceProof, string]>([
  ['the last share left out, with the right siblings', three, SHARES.slice(1, 3), range(1, 3), 'leaves left out'],
  ['the first share left out, with the right siblings', three, SHARES.slice(2, 4), range(2, 4), 'leaves left out'],
  ['a share that the proof does not cover', three, SHARES.slice(1, 5), range(1, 4), 'not as many shares as leaves'],
  ['a share of the next namespace, with its proof', three, SHARES.slice(1, 5), range(1, 5), 'another namespace'],
  ['fewer shares than leaves', three, SHARES.slice(1, 3), range(1, 4), 'not as many shares as leaves'],
  ['a changed share', three, [getShare(3, 99), ...SHARES.slice(2, 4)], range(1, 4), 'other root'],
  ['shares in another order', three, [2, 1, 3].map((i) => SHARES[i] ?? getShare(3)), range(1, 4), 'other root'],
  ['a share without its last zero', three, [...SHARES.slice(1, 3), cut(SHARES[3])], range(1, 4), 'share 511 bytes'],
  ['a share in the place of its neighbour', getNamespace(1), SHARES.slice(0, 1), moved(range(0, 1)), 'leaves left out'],
  ['a sibling too few', three, SHARES.slice(1, 4), dropped(range(1, 4)), 'sibling missing'],
  ['a sibling too many', three, SHARES.slice(1, 4), extended(range(1, 4)), 'more siblings than there are'],
  ['a short sibling', three, SHARES.slice(1, 4), shortened(range(1, 4)), 'sibling missing'],
  ['nothing', three, [], { ...range(1, 4), end: 1 }, 'no range of the row'],
  ['a range beyond the row', three, [getShare(3)], { ...range(1, 4), start: 16, end: 17 }, 'no range of the row'],
  ['a fraction', three, [getShare(3)], { ...range(1, 4), start: 0.5, end: 1.5 }, 'no range of the row'],
  ['a range before the row', three, [getShare(3)], { ...range(1, 4), start: -1, end: 0 }, 'no range of the row'],
  ['absence of what is there: the leaf after it', three, [], absence(4), 'leaves left out'],
  ['absence of what is there: its only leaf', seven, [], absence(6), 'leaf that is not above'],
  ['absence by a leaf further on', four, [], absence(6), 'leaves left out'],
  ['absence by the leaf before', four, [], absence(3), 'leaf that is not above'],
  ['absence with shares', four, [getShare(4)], absence(4), 'shares with a proof that there are none'],
  ['absence by two leaves', four, [], { ...absence(4), end: 6 }, 'not one leaf'],
  ['absence by a short leaf', four, [], { ...absence(4), absent: absence(4).absent?.subarray(1) }, 'not above'],
  ['parity', RESERVED_NAMESPACES.parity, [], absence(8), 'namespace of parity'],
])('refuses %s', (_, namespace, shares, proof, problem) => {
  expect(() => verify(namespace, shares, proof)).toThrow(Rejected);
  expect(() => verify(namespace, shares, proof)).toThrow(problem);
});

test('siblings whose namespaces are out of order are refused before their hash is asked', () => {
  const proof = range(6, 7);
  const nodes = proof.nodes.map((node, index) => {
    const copy = node.slice();
    if (index === 1) copy.fill(0, 0, 29).fill(0, 29, 58);
    return copy;
  });
  expect(() => verify(seven, [SHARES[6] ?? getShare(7)], { ...proof, nodes })).toThrow('namespaces out of order');
});

function absence(index: number): NamespaceProof {
  return { ...proveRange(row.tree, index, index + 1), absent: leafNode(index) };
}

function cut(share: Uint8Array | undefined): Uint8Array {
  return share?.subarray(0, -1) ?? new Uint8Array();
}

function dropped(proof: NamespaceProof): NamespaceProof {
  return { ...proof, nodes: proof.nodes.slice(0, -1) };
}

function moved(proof: NamespaceProof): NamespaceProof {
  return { ...proof, start: proof.start + 1, end: proof.end + 1 };
}

function extended(proof: NamespaceProof): NamespaceProof {
  return { ...proof, nodes: [...proof.nodes, ...proof.nodes.slice(-1)] };
}

function shortened(proof: NamespaceProof): NamespaceProof {
  return { ...proof, nodes: proof.nodes.map((node, index) => (index === 0 ? node.subarray(1) : node)) };
}

/** Rows of 1 to 16 shares with any namespaces, and one to ask for. */
const anyRow = fc
  .record({
    power: fc.nat(4),
    bytes: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 16, maxLength: 16 }),
    asked: fc.integer({ min: 1, max: 12 }),
    data: toBytes(16),
  })
  .map(({ power, bytes, asked: wanted, data }) => {
    const sorted = bytes.slice(0, 1 << power).sort((left, right) => left - right);
    const shares = sorted.map((byte, index) => getShare(byte, data[index]));
    const filled = [...shares, ...Array.from({ length: 4 ** power - shares.length }, () => getShare(13))];
    return { row: firstRow(filled), namespace: getNamespace(wanted), sorted, asked: wanted };
  });

test('of any row it proves all of any namespace, or that there is none', () => {
  fc.assert(
    fc.property(anyRow, ({ row: { tree, shares }, namespace, sorted, asked: wanted }) => {
      const proof = proveNamespace(tree, namespace);
      const [least = 0, most = 0] = [sorted[0], sorted.at(-1)];
      expect(proof === undefined).toBe(wanted < least || wanted > most);
      if (proof === undefined) return;
      const mine = shares.filter((share) => namespaceFromBytes(share.subarray(0, 29)) === namespace);
      expect(proof.absent === undefined).toBe(mine.length > 0);
      verifyNamespaceProof({ root: rootOfTree(tree), width: tree.width }, namespace, mine, proof);
    }),
    { numRuns: 60 },
  );
});

test('any byte that is changed, in shares, siblings, leaf or root, is noticed', () => {
  fc.assert(
    fc.property(
      anyRow,
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      ({ row: { tree, shares }, namespace }, at, flip) => {
        const proof = proveNamespace(tree, namespace);
        if (proof === undefined) return;
        const mine = shares.filter((share) => namespaceFromBytes(share.subarray(0, 29)) === namespace);
        const root = rootOfTree(tree);
        const parts = [root, ...proof.nodes, ...(proof.absent === undefined ? mine : [proof.absent])];
        const flipped = flipByte(parts, at, flip);
        const [changedRoot = root, ...rest] = flipped;
        const nodes = rest.slice(0, proof.nodes.length);
        const last = rest.slice(proof.nodes.length);
        const forged = { ...proof, nodes, absent: proof.absent && last[0] };
        expect(() =>
          verifyNamespaceProof(
            { root: changedRoot, width: tree.width },
            namespace,
            proof.absent === undefined ? last : [],
            forged,
          ),
        ).toThrow(Rejected);
      },
    ),
    { numRuns: 300 },
  );
});

/** One byte of all of them flipped. */
function flipByte(parts: readonly Uint8Array[], at: number, flip: number): Uint8Array[] {
  let left = at % parts.reduce((sum, part) => sum + part.length, 0);
  return parts.map((part) => {
    const copy = part.slice();
    if (left >= 0 && left < part.length) copy[left] = (copy[left] ?? 0) ^ flip;
    left -= part.length;
    return copy;
  });
}
