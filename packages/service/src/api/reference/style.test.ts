import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LOGO, TOKENS } from './style.ts';

const ui = (file: string) => readFileSync(new URL(`../../../../web/src/ui/${file}`, import.meta.url), 'utf8');

test('the page looks like the others: tokens and mark are theirs', () => {
  const theirs = Object.fromEntries(
    [...ui('tokens.css').matchAll(/^ {2}--([\w-]+): (.+);$/gm)].map(([, name, value]) => [name, value]),
  );
  expect(theirs).toMatchObject(TOKENS);
  expect(ui('header.tsx')).toContain(`"${LOGO}"`);
});
