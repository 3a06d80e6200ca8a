import { expect, test } from 'vitest';
import { testChain } from '../testing.ts';
import { fixedScript } from './testing/fixed-script.ts';

/*
 * The blocks of a fixed script. A hash that changes means that a node of this version and one of an earlier version
 * part ways on the same sequencer blocks.
 */
const script = async (direct: boolean) => fixedScript(await testChain({ direct }));

test('the blocks of the script have these hashes', async () => {
  const hashes = await script(true);
  expect(hashes).toMatchInlineSnapshot(`
    [
      "0xacef6af8d2da33226c678b89c896372d9f7e4f5f992b1881826277fae637088e",
      "0x875c9f00cc57c95973e0b37485ddacb084186d09678b75636a42e825d7b034f6",
      "0x631911961b435c737d14ca2210a5aff3b2e56a39ac7c4e48853cc2dec91ed169",
      "0x3e9aa97372224d32b10459bc4f3ada85bfae278e7ec4617c51e8221b16287407",
      "0x237309bfbd8243f3f8b30ad499c0cb0604806834c8e6cb6bef88f7cf5af697da",
    ]
  `);
  expect(await script(false)).toEqual(hashes);
});
