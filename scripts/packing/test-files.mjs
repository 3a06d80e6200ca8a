/** The names of tests and their support: `x.test`, `x.suite`, `x.testing`, and files in or called `testing` or `testdata`. */
const OF_TESTS = /\.(test|suite|testing)\.|\/(testing|testdata)[./]/;

/** @throws naming the files for tests among the files for users. */
export function refuseTests(files) {
  const found = [...files].filter((file) => OF_TESTS.test(file)).sort();
  if (found.length > 0) throw new Error(`these files for tests are reached by a published entry: ${found.join(', ')}`);
}
