import { expect, test } from 'vitest';
import { lowerKeys, parseToml } from './toml.ts';

test('keys are read in lower case, except below tables that are to be kept', () => {
  const table = parseToml('[Networks.Local]\nRollup_Name = "x"\n[networks.Local.Services.a.Env]\nMyVar = "1"\n', 'f');
  expect(() => lowerKeys(table, 'f')).toThrow('f: networks: given twice, in different letter case');
  const one = parseToml('[A.Local]\nRollup_Name = "x"\n[A.Local.Env]\nMyVar = "1"\n', 'f');
  expect(lowerKeys(one, 'f', ['env'])).toEqual({ a: { local: { rollup_name: 'x', env: { MyVar: '1' } } } });
});
