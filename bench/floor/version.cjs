/** The floor of `--version`: the shortest program that prints its version. */
console.log(require('../../package.json').version)
