/** Main script of the executable and of its worker threads: runs the embedded program with V8's code cache. */
const { getRawAsset } = require('node:sea')
const { Script } = require('node:vm')
const { isMainThread } = require('node:worker_threads')

const source = Buffer.from(getRawAsset('program.cjs')).latin1Slice()
// It is empty in an executable that was built on another machine.
const codeCache = Buffer.from(getRawAsset('code-cache'))
const script = new Script(source, {
  filename: 'program.cjs',
  ...(codeCache.length > 0 && { cachedData: codeCache }),
})
const module_ = { exports: {} }
// Here `require` loads only Node's own modules, nothing from disk.
script.runInThisContext()(module_.exports, require, module_, process.execPath, '')
if (isMainThread) module_.exports.run()
else module_.exports.background()
