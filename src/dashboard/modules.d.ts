/** The texts of the pages in one language, which the build writes: in the same order in each, so that the English ones are in the package once. */
declare module 'texts:*' {
  const texts: readonly string[]
  export default texts
}
