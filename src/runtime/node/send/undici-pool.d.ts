/** Types of undici's pool alone: its main module also loads `fetch`, caches and cookies, a tenth of the start time. */
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici'
}
