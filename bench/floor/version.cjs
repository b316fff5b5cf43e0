/** The least that a program can do which tells its version. */
console.log(require('../../package.json').version)
