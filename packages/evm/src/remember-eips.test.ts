import { expect, test } from 'vitest';
import { rememberEips } from './remember-eips.ts';
import { cancun } from './simulate/testing.ts';

test('remembered rules agree with the library', () => {
  const plain = cancun();
  const quick = rememberEips(cancun().copy());
  for (let round = 0; round < 2; round += 1) {
    for (let eip = 0; eip < 9_000; eip += 1) expect(quick.isActivatedEIP(eip)).toBe(plain.isActivatedEIP(eip));
  }
});
