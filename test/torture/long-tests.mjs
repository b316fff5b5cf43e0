/** Test files that take long because of large data, many processes or another Node. `npm run torture -- --only long` runs them. */
export const longTests = [
  'certify/books-months',
  'certify/shop-surfaces',
  'control/snapshots-large',
  'runtime/full-disk',
  'runtime/kill',
  'runtime/many-workspaces',
  'runtime/node-sqlite',
].map((name) => `test/${name}.test.ts`)
