/** For a rollup of one's own. */
export const FOR_ROLLUPS = ['protocol', 'storage', 'machine', 'service', 'client', 'rollup', 'messenger'];

/** The packages that others import, in the order in which they depend on each other: after those for rollups, those of a network in a test. */
export const LIBRARIES = [
  ...FOR_ROLLUPS,
  ...[
    'sequencer',
    'composer',
    'da',
    'conductor',
    'relayer',
    'evm-machine',
    'evm',
    'withdrawer',
    'faucet',
    'explorer',
    'stack',
    'network',
  ],
];

/** Support for tests that authors of rollups use. That of other packages is for this repository. */
const FOR_AUTHORS = ['rollup/testing', 'rollup/executor-suite'];

/** Entries of the plan of a network; the others are of deployments. */
const PLAN = ['./plan', './process', './programs', './network', './values'];

const placeOf = (name, entry) => `${name}${entry.slice(1)}`;

export const isForAuthorsTests = (name, entry) => FOR_AUTHORS.includes(placeOf(name, entry));

/** @returns whether an entry of a package is published. A pattern cannot be followed to its files. */
export function isPublished(name, entry) {
  if (!LIBRARIES.includes(name) || entry.includes('*')) return false;
  if (name === 'stack') return PLAN.includes(entry);
  return !/[/-](testing|suite)$/.test(entry) || isForAuthorsTests(name, entry);
}
