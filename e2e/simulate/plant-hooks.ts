import type { LoadHook } from 'node:module';
import type { Mutant } from './mutants.ts';

let mutant: Mutant | undefined;

export function initialize(data: Mutant): void {
  mutant = data;
}

export const load: LoadHook = async (url, context, next) => {
  const loaded = await next(url, context);
  if (mutant === undefined || !url.endsWith(`/packages/${mutant.file}`)) return loaded;
  const text = Buffer.from(loaded.source as Uint8Array).toString();
  if (!text.includes(mutant.find)) throw new Error(`${mutant.file} has no ${mutant.find}`);
  return { ...loaded, source: text.replace(mutant.find, mutant.replace) };
};
