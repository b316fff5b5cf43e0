/** Test files that take long because of large data, many processes or another Node. `npm run torture -- --only long` runs them. */
export const longTests = [
  'certify/books-months',
  'certify/shop-surfaces',
  'control/snapshots-large',
  'house/features-removed',
  'runtime/full-disk',
  'runtime/kill',
  'runtime/many-workspaces',
  'runtime/node-sqlite',
].map((name) => `test/${name}.test.ts`)
