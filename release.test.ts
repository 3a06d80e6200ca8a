import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { withRelease } from './scripts/release.mjs';

test('what is unreleased becomes the section of a version, under an empty one', () => {
  const text = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 - 2026-01-01\n\n- Old.\n';
  expect(withRelease(text, '0.2.0', '2026-02-02')).toBe(
    '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-02-02\n\n- New.\n\n## 0.1.0 - 2026-01-01\n\n- Old.\n',
  );
});

test.each([
  ['nothing is unreleased', '# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-01-01\n\n- Old.\n', 'nothing is under'],
  ['nothing is there at all', '# Changelog\n\n## Unreleased\n', 'nothing is under'],
  ['the first section is another', '# Changelog\n\n## 0.1.0 - 2026-01-01\n', 'expected "## Unreleased"'],
])('no release is made where %s', (_, text, problem) => {
  expect(() => withRelease(text, '0.2.0', '2026-02-02')).toThrow(problem);
});
