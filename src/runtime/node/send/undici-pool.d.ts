/** Only the pool: undici's main module also loads its `fetch`, caches and cookies, a tenth of the start time. */
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici'
}
