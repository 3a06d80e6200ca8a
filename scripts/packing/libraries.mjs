/** The packages that others import, in the order in which they depend on each other. Of the messenger, only the client and the table of its settings have entries. */
export const LIBRARIES = ['protocol', 'storage', 'machine', 'service', 'client', 'rollup', 'messenger'];

/** Support for tests that authors of rollups use. That of other packages is for this repository. */
const FOR_AUTHORS = ['rollup/testing', 'rollup/executor-suite'];

const placeOf = (name, entry) => `${name}${entry.slice(1)}`;

export const isForAuthorsTests = (name, entry) => FOR_AUTHORS.includes(placeOf(name, entry));

/** @returns whether an entry of a package is published. A pattern cannot be followed to its files. */
export function isPublished(name, entry) {
  if (!LIBRARIES.includes(name) || entry.includes('*')) return false;
  return !/[/-](testing|suite)$/.test(entry) || isForAuthorsTests(name, entry);
}
