import solc from 'solc';
import { expect, test } from 'vitest';
import { type Claim, verifyContract } from './verify-contract.ts';

/* The real compiler, in this process; its output stands for the deployed code. */

/** Text that looks like the hash of metadata, as a constant of the program. */
const fake = (byte: string) => `hex"a2646970667358221220${byte.repeat(32)}64736f6c63430008250033"`;
const source = (constant = 'aa') => `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract Sum {
  uint256 immutable limit;
  constructor(uint256 limit_) { limit = limit_; }
  function add(uint256 a, uint256 b) external view returns (uint256) { return a + b > limit ? limit : a + b; }
}
contract Maker {
  function make() external returns (address) { return address(new Sum(7)); }
}
library Lib {
  function twice(uint256 a) external pure returns (uint256) { return 2 * a; }
}
contract Hidden {
  function key() external pure returns (bytes memory) { return ${fake(constant)}; }
}`;
const claim = (content = source(), contract?: string, settings: object = {}): Claim => ({
  input: { language: 'Solidity', sources: { 'a.sol': { content } }, settings: { evmVersion: 'cancun', ...settings } },
  contract,
  constructorArguments: undefined,
});

/** Outputs of the compiler by its input: it makes the same of it each time. */
const outputs = new Map<string, string>();
function compiled(input: string): string {
  const known = outputs.get(input);
  if (known !== undefined) return known;
  const output = String(solc.compile(input));
  outputs.set(input, output);
  return output;
}

let runs = 0;
async function run(input: string) {
  runs += 1;
  return { version: String(solc.version()), output: compiled(input) };
}

/** Runtime and creation code of one contract. */
function makeCode(name: string, content = source(), settings: object = {}): { runtime: string; creation: string } {
  // All contracts, so that one compilation is enough for them.
  const outputSelection = { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } };
  const { input } = claim(content, name, settings);
  const whole = { ...input, settings: { ...input.settings, outputSelection } };
  const { contracts, errors } = JSON.parse(compiled(JSON.stringify(whole)));
  const made = contracts?.['a.sol']?.[name]?.evm;
  if (made === undefined) throw new Error(JSON.stringify(errors));
  return { runtime: made.deployedBytecode.object, creation: made.bytecode.object };
}

const word = (value: number) => value.toString(16).padStart(64, '0');
const created = (code: string) => ({ transaction: '', creator: '', code });

test('the very sources match in full after one compilation, with immutables and arguments', async () => {
  const { runtime, creation } = makeCode('Sum');
  // The compiler leaves zeros for the immutable, wherever it is used.
  const deployed = { code: runtime.replaceAll(word(0), word(9)), creation: created(`${creation}${word(9)}`) };
  runs = 0;
  const found = await verifyContract(claim(), deployed, run);
  expect([found.artifact.name, found.match.kind, found.constructorArguments, runs]).toEqual([
    'Sum',
    'full',
    word(9),
    1,
  ]);
});

test('an immutable with two values is other code', async () => {
  const { runtime } = makeCode('Sum');
  const at = runtime.indexOf(word(0));
  const code = `${runtime.slice(0, at)}${word(9)}${runtime.slice(at + 64)}`;
  await expect(verifyContract(claim(source(), 'Sum'), { code, creation: undefined }, run)).rejects.toThrow(
    /is different/,
  );
});

test('a library that was deployed has its own address in its code', async () => {
  const { runtime } = makeCode('Lib');
  const code = `73${'ab'.repeat(20)}${runtime.slice(42)}`;
  const found = await verifyContract(claim(), { code, creation: undefined }, run);
  expect([found.artifact.name, found.match.kind]).toEqual(['Lib', 'full']);
});

test('another comment makes a partial match, in contracts within contracts too', async () => {
  const { runtime, creation } = makeCode('Maker');
  const commented = source().replace('contract Maker {', 'contract Maker { // elsewhere');
  const found = await verifyContract(claim(commented), { code: runtime, creation: created(creation) }, run);
  expect([found.artifact.name, found.match.kind, found.constructorArguments]).toEqual(['Maker', 'partial', '']);
});

test('without a hash of metadata in the code nothing ties it to these sources', async () => {
  const settings = { metadata: { bytecodeHash: 'none' } };
  const { runtime } = makeCode('Maker', source(), settings);
  const found = await verifyContract(claim(source(), 'Maker', settings), { code: runtime, creation: undefined }, run);
  expect([found.match.kind, found.constructorArguments]).toEqual(['partial', undefined]);
});

// Defect: Contract reported as different because of the length of its metadata
test.each([
  ['no metadata', { appendCBOR: false }, {}],
  ['the version alone', { bytecodeHash: 'none' }, {}],
  ['another kind of hash', { bytecodeHash: 'bzzr1' }, {}],
  ['a hash', {}, { appendCBOR: false, bytecodeHash: 'none' }],
])('what was deployed with %s at its end matches in part, with its arguments', async (_, made, claimed) => {
  // A contract in the contract and an immutable: of these, too, the places differ.
  for (const name of ['Sum', 'Maker']) {
    const { runtime, creation } = makeCode(name, source(), { metadata: made });
    const rest = name === 'Sum' ? word(9) : '';
    const code = name === 'Sum' ? runtime.replaceAll(word(0), word(9)) : runtime;
    const deployed = { code, creation: created(`${creation}${rest}`) };
    const found = await verifyContract(claim(source(), name, { metadata: claimed }), deployed, run);
    expect([found.artifact.name, found.match.kind, found.constructorArguments]).toEqual([name, 'partial', rest]);
  }
});

test('code that differs in more than its end is different', async () => {
  const { runtime } = makeCode('Sum', source(), { metadata: { appendCBOR: false } });
  const changed = source().replace('a + b > limit', 'a + b < limit');
  await expect(verifyContract(claim(changed, 'Sum'), { code: runtime, creation: undefined }, run)).rejects.toThrow(
    /expected \d+ bytes, got Sum \d+; check/,
  );
});

// Defect: A few hundred bytes of source made an ABI of megabytes
test('a small source whose ABI is large is refused by name', async () => {
  const levels = Array.from({ length: 6 }, (_, level) => {
    const inner = level === 0 ? 'uint8' : `S${level - 1}`;
    return `struct S${level} { ${inner} a; ${inner} b; ${inner} c; ${inner} d; }`;
  });
  const nested = `// SPDX-License-Identifier: MIT
    pragma solidity ^0.8.20;
    ${levels.join('\n')}
    contract Bomb { event E(S5[] s); }`;
  const { runtime } = makeCode('Bomb', nested);
  await expect(verifyContract(claim(nested, 'Bomb'), { code: runtime, creation: undefined }, run)).rejects.toThrow(
    'the ABI: expected at most 4096 parameters',
  );
});

test('a constant that looks like the hash of metadata counts as code', async () => {
  const deployed = { code: makeCode('Hidden', source('bb')).runtime, creation: undefined };
  await expect(verifyContract(claim(source('aa'), 'Hidden'), deployed, run)).rejects.toThrow(
    /code of Hidden is different/,
  );
  expect((await verifyContract(claim(source('bb'), 'Hidden'), deployed, run)).match.kind).toBe('full');
});

test.each([
  ['an operation', claim(source().replace('a + b > limit', 'a + b < limit'), 'Sum'), /the code of Sum is different/],
  ['a setting', claim(source(), 'Sum', { optimizer: { enabled: true } }), /expected \d+ bytes, got Sum \d+; check/],
  ['the name', claim(source(), 'a.sol:Nothing'), /expected one of a.sol:Hidden, .*, got a.sol:Nothing/],
  ['the syntax', claim('contract {'), /ParserError/],
  ['an import', claim('import "/etc/passwd"; contract A {}'), /"\/etc\/passwd" not found/],
  ['no contract', claim('// SPDX-License-Identifier: MIT'), /expected one of no contract at all, got no name/],
])('%s that is different is named', async (_, wanted, reason) => {
  const { runtime } = makeCode('Sum');
  await expect(verifyContract(wanted, { code: runtime, creation: undefined }, run)).rejects.toThrow(reason);
});

test('other constructor arguments than those of the creation transaction are refused', async () => {
  const { runtime, creation } = makeCode('Sum');
  const deployed = { code: runtime, creation: created(`${creation}${word(9)}`) };
  const wanted = { ...claim(source(), 'Sum'), constructorArguments: word(8) };
  await expect(verifyContract(wanted, deployed, run)).rejects.toThrow(
    `constructor arguments: expected ${word(9)}, got ${word(8)}`,
  );
});
